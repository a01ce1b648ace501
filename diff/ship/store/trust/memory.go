package trust

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MemoryName is the file of a folder that remembers whom it trusts.
const MemoryName = ".pakdb-trust.json"

// MostMemory bounds its bytes.
const MostMemory = 2 << 20

// memory is what it holds.
type memory struct {
	Root     string           `json:"root"`     // the last root, as it was stored
	Versions map[string]int64 `json:"versions"` // seen last
	Signers  signers          `json:"signers"`  // public keys that signed these, by role
	Keys     []string         `json:"keys"`     // public ones that roots had, since trust began
}

// Remember returns what the client keeps for the next time.
func (c *Chain) Remember() ([]byte, error) {
	versions, signers := maps.Clone(c.versions), maps.Clone(c.signers)
	for role, v := range c.accepted {
		versions[role], signers[role] = v, c.by[role]
	}
	m := memory{string(c.text), versions, signers, slices.Sorted(maps.Keys(c.anchors))}
	b, err := json.MarshalIndent(&m, "", " ")
	return append(b, '\n'), err
}

// Recall begins a chain where the last one ended.
func Recall(text []byte) (*Chain, error) {
	var m memory
	if err := json.Unmarshal(text, &m); err != nil || len(text) > MostMemory {
		return nil, fmt.Errorf("%s: %w", MemoryName, ErrMetadata)
	}
	c, err := Start([]byte(m.Root), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", MemoryName, err)
	}
	for role, v := range m.Versions {
		if v < 0 || v > mostVersion {
			return nil, fmt.Errorf("%s: %w: version %d of %s", MemoryName, ErrMetadata, v, role)
		}
		c.versions[role] = v
		if by, ok := m.Signers[role]; ok {
			c.signers[role] = by
		} else { // a memory of an earlier pakdb: any of the keys may have
			c.signers[role] = c.Root.publics(role)
		}
	}
	for _, k := range m.Keys {
		c.anchors[strings.ToLower(k)] = true
	}
	return c, nil
}

// Again begins a chain where this one ended.
func (c *Chain) Again() (*Chain, error) {
	b, err := c.Remember()
	if err != nil {
		return nil, err
	}
	return Recall(b)
}

// Forgets reports whether a memory has seen a later state of the same store.
func (c *Chain) Forgets(memory *Chain) bool {
	for role, v := range c.accepted {
		if v < memory.versions[role] && c.Root.counts(role, memory.signers[role]) {
			return true
		}
	}
	return c.Root.Version < memory.Root.Version
}

// Meets reports whether a chain has had one of the keys of another one's root.
func (c *Chain) Meets(o *Chain) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(o.anchors)), func(k string) bool { return c.anchors[k] })
}
