package trust

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pakdb/diff/ship/store"
)

// The classes of errors.
var (
	// ErrMetadata means that metadata is not what a publisher writes.
	ErrMetadata = errors.New("corrupt signed metadata")
	// ErrSignature means that too few of the keys that may have signed metadata.
	ErrSignature = errors.New("the signed metadata is not signed by the keys that may sign it")
	// ErrRollback means that the store is at an earlier state than the client saw.
	ErrRollback = errors.New("the store was rolled back")
	// ErrExpired means that nobody said lately that the state is the current one.
	ErrExpired = errors.New("the signed metadata has expired")
	// ErrMixed means that a file is not the one that the metadata names.
	ErrMixed = errors.New("not the file that the signed metadata names")
)

// The roles.
const (
	RoleRoot      = "root"
	RoleTargets   = "targets"
	RoleSnapshot  = "snapshot"
	RoleTimestamp = "timestamp"
)

// Roles are all of them.
func Roles() []string { return []string{RoleRoot, RoleTargets, RoleSnapshot, RoleTimestamp} }

// Folder is where the metadata of a store lies, and the targets below it.
const Folder = "trust/"

// TimestampName is the path of the only file of metadata that is ever replaced.
const TimestampName = Folder + "timestamp.json"

// Name returns the path of a version of another role's metadata.
func Name(role string, version int64) string {
	return fmt.Sprintf("%s%d.%s.json", Folder, version, role)
}

// Bounds of what is read before any signature was checked.
const (
	MostRoot      = 512 << 10
	MostTimestamp = 16 << 10
	MostSnapshot  = 64 << 10
	MostTargets   = 48 << 20 // 65,536 builds of 700 bytes
	MostRoots     = 1024     // versions of root that one update goes through
	MostTarget    = 16 << 20 // a manifest
	mostKeys      = 256
	mostVersion   = 1 << 53
)

const specVersion = "1.0.33"

// Head is what all metadata begins with.
type Head struct {
	Type    string    `json:"_type"`
	Spec    string    `json:"spec_version"`
	Version int64     `json:"version"`
	Expires time.Time `json:"expires"`
}

// NewHead returns the head of metadata that is written now.
func NewHead(role string, version int64, expires time.Time) Head {
	return Head{role, specVersion, version, expires.UTC().Truncate(time.Second)}
}

func (h *Head) head() *Head { return h }

// check refuses the head of other metadata.
func (h *Head) check(role string) error {
	if h.Type != role || len(h.Spec) < 2 || h.Spec[:2] != specVersion[:2] || h.Version < 1 || h.Version > mostVersion || h.Expires.IsZero() {
		return fmt.Errorf("%w: not version 1 or later of %s", ErrMetadata, role)
	}
	return nil
}

// Root says which keys may sign what.
type Root struct {
	Head
	Consistent bool            `json:"consistent_snapshot"`
	Keys       map[string]Key  `json:"keys"` // by their ids
	Roles      map[string]Role `json:"roles"`
}

// Role has the keys that may sign, and how many of them must.
type Role struct {
	KeyIDs    []string `json:"keyids"`
	Threshold int      `json:"threshold"`
}

// Meta names a version of metadata.
type Meta struct {
	Version int64             `json:"version"`
	Length  int64             `json:"length,omitempty"`
	Hashes  map[string]string `json:"hashes,omitempty"`
}

// Timestamp names the current snapshot, Snapshot the current targets.
type (
	Timestamp struct {
		Head
		Meta map[string]Meta `json:"meta"`
	}
	Snapshot struct {
		Head
		Meta map[string]Meta `json:"meta"`
	}
)

// Targets are the manifests of the builds, by their paths: builds/LABEL.json.
type Targets struct {
	Head
	Targets map[string]Target `json:"targets"`

	Channels store.Channels `json:"channels,omitempty"` // which of the builds are for whom; not of TUF
}

// Target is the manifest of a build.
type Target struct {
	Length int64             `json:"length"`
	Hashes map[string]string `json:"hashes"`
	Custom Custom            `json:"custom"`
}

// Custom is what a store says of a build beyond TUF.
type Custom struct {
	Order int64 `json:"order"` // builds that were published later have larger ones
}

// check refuses targets that no store has: their names say where they lie.
func (t *Targets) check() error {
	for name, one := range t.Targets {
		label, builds := strings.CutPrefix(strings.TrimSuffix(name, ".json"), buildsFolder)
		sum := one.Hashes[sha]
		if !builds || label == "" || strings.ContainsAny(label, `/\:`) || !strings.HasSuffix(name, ".json") || one.Length < 1 || one.Length > MostTarget ||
			len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" || one.Custom.Order < 0 {
			return fmt.Errorf("%w: target %q", ErrMetadata, name)
		}
	}
	err := t.Channels.Check(func(label string) bool { _, ok := t.Targets[buildsFolder+label+".json"]; return ok })
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	return nil
}

const buildsFolder = "builds/"

// Equal reports whether two targets are the same.
func (t Target) Equal(o Target) bool {
	return t.Length == o.Length && maps.Equal(t.Hashes, o.Hashes) && t.Custom == o.Custom
}

// At returns where the target of a name lies, as TUF's consistent snapshots have it: by
// its hash, so that nobody gets another version than the one that was named.
func (t *Target) At(name string) string {
	return Folder + buildsFolder + t.Hashes[sha] + "." + strings.TrimPrefix(name, buildsFolder)
}

// Labels returns the builds, in the order in which they were published.
func (t *Targets) Labels() (labels []string) {
	names := slices.SortedFunc(maps.Keys(t.Targets), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Targets[a].Custom.Order, t.Targets[b].Custom.Order), strings.Compare(a, b))
	})
	for _, name := range names {
		labels = append(labels, strings.TrimSuffix(strings.TrimPrefix(name, buildsFolder), ".json"))
	}
	return labels
}

// Keep leaves the builds of a list out that are not in it any more. Nobody has signed the
// list, so of each platform the build that was signed as the last must be there, unless all
// says that the list counts as it is: write access to the store must not get the builds
// before signed as the current ones.
func (t *Targets) Keep(labels []string, all bool) error {
	last := map[string]string{}
	for _, label := range t.Labels() {
		last[store.Platform(label)] = label
	}
	for _, label := range last {
		if !all && !slices.Contains(labels, label) {
			return fmt.Errorf("%w: the list of builds lacks %q, which was signed as the last: if its owner removed that, pakdb store sign --all signs the list as it is", ErrMixed, label)
		}
	}
	maps.DeleteFunc(t.Targets, func(name string, _ Target) bool {
		return !slices.Contains(labels, strings.TrimSuffix(strings.TrimPrefix(name, buildsFolder), ".json"))
	})
	return nil
}

// Arrange orders the builds: those that were signed before as they were, then others as
// the list has them, and one last that was published at the end of the list again. If all
// says so the order is that of the list.
func (t *Targets) Arrange(labels []string, fresh string, all bool) {
	last := int64(0)
	for _, one := range t.Targets {
		last = max(last, one.Custom.Order)
	}
	for i, label := range labels {
		name := buildsFolder + label + ".json"
		one, there := t.Targets[name]
		switch again := label == fresh && i == len(labels)-1; {
		case !there:
			continue
		case all:
			one.Custom.Order = int64(i) + 1
		case one.Custom.Order == 0 || again && one.Custom.Order < last:
			last++
			one.Custom.Order = last
		}
		t.Targets[name] = one
	}
}

// metadata is one of the four.
type metadata interface{ head() *Head }

// Signature is one of those of metadata.
type Signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"` // hexadecimal
}

// envelope is metadata as it is stored.
type envelope struct {
	Signatures []Signature     `json:"signatures"`
	Signed     json.RawMessage `json:"signed"`
}

// open reads metadata without a look at its signatures. It returns what they are of.
func open(text []byte, most int, role string, into metadata) (e *envelope, signed []byte, err error) {
	if len(text) > most {
		return nil, nil, fmt.Errorf("%w: %s of %d bytes", ErrMetadata, role, len(text))
	}
	plain, err := Canonical(text) // so that no key is there twice
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", role, err)
	}
	e = &envelope{}
	if err := json.Unmarshal(plain, e); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", role, ErrMetadata, err)
	}
	if len(e.Signatures) > mostKeys {
		return nil, nil, fmt.Errorf("%s: %w: %d signatures", role, ErrMetadata, len(e.Signatures))
	}
	if err := json.Unmarshal(e.Signed, into); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", role, ErrMetadata, err)
	}
	if err := into.head().check(role); err != nil {
		return nil, nil, err
	}
	return e, e.Signed, nil
}

// ParseRoot reads a root, whose signatures are not checked.
func ParseRoot(text []byte) (*Root, error) {
	r := &Root{}
	_, _, err := open(text, MostRoot, RoleRoot, r)
	if err == nil {
		err = r.check()
	}
	return r, err
}

// check refuses what no root says.
func (r *Root) check() error {
	bad := func(what string) error { return fmt.Errorf("%w: root: %s", ErrMetadata, what) }
	if !r.Consistent || len(r.Keys) > mostKeys {
		return bad("it is not of a store")
	}
	for _, name := range Roles() {
		role, ok := r.Roles[name]
		if !ok || role.Threshold < 1 || role.Threshold > len(role.KeyIDs) || len(role.KeyIDs) > mostKeys {
			return bad("the keys of " + name)
		}
		if slices.ContainsFunc(role.KeyIDs, func(id string) bool { _, there := r.Keys[id]; return !there }) {
			return bad("a key of " + name + " is missing")
		}
		ids := slices.Sorted(slices.Values(role.KeyIDs))
		if len(slices.Compact(ids)) != len(role.KeyIDs) {
			return bad("a key of " + name + " is there twice")
		}
	}
	seen := map[string]string{}
	for id, k := range r.Keys {
		public := strings.ToLower(k.Value.Public) // both spellings are read
		if twin, twice := seen[public]; twice {
			return bad(fmt.Sprintf("%s and %s are one key", id, twin))
		}
		seen[public] = id
	}
	return nil
}

// ParseTargets reads targets, whose signatures are not checked.
func ParseTargets(text []byte) (*Targets, error) {
	t := &Targets{}
	_, _, err := open(text, MostTargets, RoleTargets, t)
	if err == nil {
		err = t.check()
	}
	return t, err
}

// ParseSnapshot reads a snapshot, whose signatures are not checked.
func ParseSnapshot(text []byte) (*Snapshot, error) {
	s := &Snapshot{}
	_, _, err := open(text, MostSnapshot, RoleSnapshot, s)
	return s, err
}

// ParseTimestamp reads a timestamp, whose signatures are not checked.
func ParseTimestamp(text []byte) (*Timestamp, error) {
	t := &Timestamp{}
	_, _, err := open(text, MostTimestamp, RoleTimestamp, t)
	return t, err
}

// mostDepth bounds how deep values are nested; metadata needs seven levels.
const mostDepth = 16

// Canonical returns the canonical JSON of a text: keys in order, no spaces, whole
// numbers, and no escapes but \" and \\. Signatures are of these bytes. A key that is
// there twice is refused: readers may differ about which of them counts.
func Canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	b, err := canonicalValue(d, 0)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("more than one value")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	return b, nil
}

func canonicalValue(d *json.Decoder, depth int) ([]byte, error) {
	if depth > mostDepth {
		return nil, errors.New("values are nested too deep")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return canonicalObject(d, depth)
		}
		return canonicalArray(d, depth)
	case string:
		return appendString(nil, t), nil
	case json.Number:
		n, err := strconv.ParseInt(t.String(), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a whole number", t)
		}
		return strconv.AppendInt(nil, n, 10), nil
	case bool:
		return strconv.AppendBool(nil, t), nil
	}
	return []byte("null"), nil
}

func canonicalObject(d *json.Decoder, depth int) ([]byte, error) {
	fields := map[string][]byte{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string) // the decoder refuses other keys
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("the key %q is there twice", key)
		}
		if fields[key], err = canonicalValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	b := []byte{'{'}
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(appendString(b, key), ':'), fields[key]...)
	}
	_, err := d.Token()
	return append(b, '}'), err
}

func canonicalArray(d *json.Decoder, depth int) ([]byte, error) {
	b := []byte{'['}
	for d.More() {
		v, err := canonicalValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	_, err := d.Token()
	return append(b, ']'), err
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func appendString(b []byte, s string) []byte {
	return append(append(append(b, '"'), escaper.Replace(s)...), '"')
}
