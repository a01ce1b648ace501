package trust_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"pakdb/diff/ship/internal/trust"
)

// state is the metadata of a store: what each role says, and who signs it.
type state struct {
	roots    []*trust.Root
	version  map[string]int64
	expires  map[string]time.Time
	signers  map[string][]trust.Signer
	written  map[string]int64 // versions in the files, where they are not those that are named
	change   func(role string, signed map[string]any)
	stored   func(role string, text []byte) []byte
	rootKeys []trust.Signer
}

// newState returns one at version 5 of all roles, each with its own key, 1 to 4.
func newState() *state {
	s := &state{version: map[string]int64{}, expires: map[string]time.Time{}, signers: map[string][]trust.Signer{}, written: map[string]int64{},
		rootKeys: []trust.Signer{signer(1)}}
	r := root(1, 1, signer(1))
	for i, role := range []string{trust.RoleTimestamp, trust.RoleSnapshot, trust.RoleTargets} {
		key := signer(byte(i + 2))
		r.Keys[key.Public().ID()] = key.Public()
		r.Roles[role] = trust.Role{KeyIDs: []string{key.Public().ID()}, Threshold: 1}
		s.version[role], s.expires[role], s.signers[role] = 5, day.AddDate(0, 1, 0), []trust.Signer{key}
	}
	s.roots = []*trust.Root{r}
	return s
}

// next adds a root that differs from the last one.
func (s *state) next(change func(r *trust.Root)) {
	last := s.roots[len(s.roots)-1]
	r := *last
	r.Version, r.Keys, r.Roles = last.Version+1, maps.Clone(last.Keys), maps.Clone(last.Roles)
	change(&r)
	s.roots = append(s.roots, &r)
}

// gives lets keys sign for a role, and no others.
func gives(r *trust.Root, role string, threshold int, keys ...trust.Signer) {
	var ids []string
	for _, k := range keys {
		r.Keys[k.Public().ID()], ids = k.Public(), append(ids, k.Public().ID())
	}
	r.Roles[role] = trust.Role{KeyIDs: ids, Threshold: threshold}
}

// text returns the metadata of a role as it is stored.
func (s *state) text(t *testing.T, role string, m any, signers []trust.Signer) []byte {
	t.Helper()
	if s.change != nil {
		b, err := json.Marshal(m)
		signed := map[string]any{}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		if err = errors.Join(err, d.Decode(&signed)); err != nil {
			t.Fatal(err)
		}
		s.change(role, signed)
		m = signed
	}
	text := sign(t, m, signers...)
	if s.stored != nil {
		text = s.stored(role, text)
	}
	return text
}

// files returns the metadata of the store, by the names of its files.
func (s *state) files(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for i, r := range s.roots {
		text := sign(t, r, s.rootKeys...)
		if i > 0 {
			text = s.text(t, trust.RoleRoot, r, s.rootKeys)
		}
		all[trust.Name(trust.RoleRoot, r.Version)] = text
	}
	meta := func(role string, b []byte) map[string]trust.Meta {
		return map[string]trust.Meta{role + ".json": {Version: s.version[role], Length: int64(len(b)), Hashes: trust.Hashes(b)}}
	}
	head := func(role string) trust.Head {
		v := s.version[role]
		if other, ok := s.written[role]; ok {
			v = other
		}
		return trust.NewHead(role, v, s.expires[role])
	}
	targets := s.text(t, trust.RoleTargets, &trust.Targets{Head: head(trust.RoleTargets), Targets: map[string]trust.Target{}}, s.signers[trust.RoleTargets])
	snapshot := s.text(t, trust.RoleSnapshot, &trust.Snapshot{Head: head(trust.RoleSnapshot), Meta: meta(trust.RoleTargets, targets)}, s.signers[trust.RoleSnapshot])
	all[trust.Name(trust.RoleTargets, s.version[trust.RoleTargets])] = targets
	all[trust.Name(trust.RoleSnapshot, s.version[trust.RoleSnapshot])] = snapshot
	all[trust.TimestampName] = s.text(t, trust.RoleTimestamp, &trust.Timestamp{Head: head(trust.RoleTimestamp), Meta: meta(trust.RoleSnapshot, snapshot)}, s.signers[trust.RoleTimestamp])
	return all
}

// follow is follow over the files of the store.
func (s *state) follow(t *testing.T, memory []byte, set func(*trust.Chain)) ([]byte, error) {
	t.Helper()
	return follow(s.files(t), memory, set)
}

// follow does what a client does that has a memory, or begins with the first root.
func follow(files map[string][]byte, memory []byte, set func(*trust.Chain)) ([]byte, error) {
	chain, err := trust.Start(files[trust.Name(trust.RoleRoot, 1)], nil)
	if memory != nil {
		chain, err = trust.Recall(memory)
	}
	if err != nil {
		return nil, err
	}
	chain.Now = day
	if set != nil {
		set(chain)
	}
	for {
		next, ok := files[trust.Name(trust.RoleRoot, chain.Root.Version+1)]
		if !ok {
			break
		}
		if err := chain.NextRoot(next); err != nil {
			return nil, err
		}
	}
	if err := chain.RootsDone(); err != nil {
		return nil, err
	}
	if err := chain.SetTimestamp(files[trust.TimestampName]); err != nil {
		return nil, err
	}
	name, _ := chain.Snapshot()
	if err := chain.SetSnapshot(files[name]); err != nil {
		return nil, err
	}
	name, _ = chain.TargetsAt()
	if err := chain.SetTargets(files[name]); err != nil {
		return nil, err
	}
	return chain.Remember()
}

// TestWorkflow takes the steps of TUF's client workflow one by one, in the manner of its
// conformance suite: a client that saw version 5 of everything meets another state.
func TestWorkflow(t *testing.T) {
	old, five := day.AddDate(0, 0, -1), map[string]int64{trust.RoleTimestamp: 5, trust.RoleSnapshot: 5, trust.RoleTargets: 5}
	roles := []string{trust.RoleTimestamp, trust.RoleSnapshot, trust.RoleTargets}
	type step struct {
		change func(s *state)
		want   error
	}
	cases := map[string]step{
		"the same again":                       {func(*state) {}, nil},
		"all newer":                            {func(s *state) { s.version = map[string]int64{"timestamp": 6, "snapshot": 6, "targets": 6} }, nil},
		"a newer timestamp alone":              {func(s *state) { s.version[trust.RoleTimestamp] = 9 }, nil},
		"an earlier timestamp":                 {func(s *state) { s.version[trust.RoleTimestamp] = 4 }, trust.ErrRollback},
		"a newer timestamp of an old snapshot": {func(s *state) { s.version[trust.RoleTimestamp], s.version[trust.RoleSnapshot] = 6, 4 }, trust.ErrRollback},
		"a newer snapshot of old targets": {func(s *state) {
			s.version = map[string]int64{"timestamp": 6, "snapshot": 6, "targets": 4}
		}, trust.ErrRollback},
		"a snapshot of another version than named": {func(s *state) { s.written[trust.RoleSnapshot] = 6 }, trust.ErrMixed},
		"targets of another version than named":    {func(s *state) { s.written[trust.RoleTargets] = 6 }, trust.ErrMixed},
		"a root in between has expired": {func(s *state) {
			s.next(func(r *trust.Root) { r.Expires = old })
			s.next(func(r *trust.Root) { r.Expires = day.AddDate(1, 0, 0) })
		}, nil},
		"the last root has expired": {func(s *state) { s.next(func(r *trust.Root) { r.Expires = old }) }, trust.ErrExpired},
		"a root by the next one's key alone": {func(s *state) {
			s.next(func(r *trust.Root) { gives(r, trust.RoleRoot, 1, signer(9)) })
			s.rootKeys = []trust.Signer{signer(9)}
		}, trust.ErrSignature},
		"a hash that is none": {func(s *state) {
			s.change = func(role string, signed map[string]any) {
				if role == trust.RoleTimestamp {
					signed["meta"].(map[string]any)["snapshot.json"].(map[string]any)["hashes"] = map[string]any{"md5": "00"}
				}
			}
		}, trust.ErrMixed},
		"a length that is missing": {func(s *state) {
			s.change = func(role string, signed map[string]any) {
				if role == trust.RoleSnapshot {
					delete(signed["meta"].(map[string]any)["targets.json"].(map[string]any), "length")
				}
			}
		}, trust.ErrMetadata},
		"no targets in the snapshot": {func(s *state) {
			s.change = func(role string, signed map[string]any) {
				if role == trust.RoleSnapshot {
					signed["meta"] = map[string]any{}
				}
			}
		}, trust.ErrMetadata},
		"fields that nobody knows": {func(s *state) {
			s.next(func(*trust.Root) {})
			s.change = func(_ string, signed map[string]any) { signed["x-later"] = map[string]any{"a": 1} }
		}, nil},
		"a kind of key that nobody knows": {func(s *state) {
			s.next(func(r *trust.Root) {
				r.Keys["other"] = trust.Key{Type: "rsa", Scheme: "rsassa-pss-sha256", Value: trust.KeyValue{Public: "-----BEGIN"}}
				r.Roles[trust.RoleTargets] = trust.Role{KeyIDs: append([]string{"other"}, r.Roles[trust.RoleTargets].KeyIDs...), Threshold: 1}
			})
		}, nil},
		"a key under another id": {func(s *state) {
			s.next(func(r *trust.Root) {
				r.Keys["mine"] = signer(9).Public()
				r.Roles[trust.RoleTargets] = trust.Role{KeyIDs: []string{"mine"}, Threshold: 1}
			})
			s.signers[trust.RoleTargets] = []trust.Signer{signer(9)}
		}, trust.ErrSignature},
	}
	for i, role := range roles {
		cases[role+" has expired"] = step{func(s *state) { s.expires[role] = old }, trust.ErrExpired}
		cases[role+" expires now"] = step{func(s *state) { s.expires[role] = day }, trust.ErrExpired}
		cases[role+" by the key of another role"] = step{func(s *state) { s.signers[role] = s.signers[roles[(i+1)%3]] }, trust.ErrSignature}
		cases[role+" by nobody"] = step{func(s *state) { s.signers[role] = nil }, trust.ErrSignature}
		cases[role+" of a key that was replaced"] = step{func(s *state) { s.next(func(r *trust.Root) { gives(r, role, 1, signer(8)) }) }, trust.ErrSignature}
		cases[role+" by the new key"] = step{func(s *state) {
			s.next(func(r *trust.Root) { gives(r, role, 1, signer(8)) })
			s.signers[role] = []trust.Signer{signer(8)}
		}, nil}
		cases[role+" by one of two that must"] = step{func(s *state) { s.next(func(r *trust.Root) { gives(r, role, 2, signer(byte(i+2)), signer(8)) }) }, trust.ErrSignature}
		cases[role+" by one of two that must, twice"] = step{func(s *state) {
			s.next(func(r *trust.Root) { gives(r, role, 2, signer(byte(i+2)), signer(8)) })
			s.stored = func(of string, text []byte) []byte {
				if of == role {
					text = bytes.Replace(text, []byte(`"signatures": [`), []byte(`"signatures": [`+sigOf(text)+","), 1)
				}
				return text
			}
		}, trust.ErrSignature}
		cases[role+" by both"] = step{func(s *state) {
			s.next(func(r *trust.Root) { gives(r, role, 2, signer(byte(i+2)), signer(8)) })
			s.signers[role] = append(s.signers[role], signer(8))
		}, nil}
		cases[role+" of version 0"] = step{func(s *state) { s.written[role] = 0 }, trust.ErrMetadata}
		cases[role+" that says it is another"] = step{func(s *state) {
			s.change = func(of string, signed map[string]any) {
				if of == role {
					signed["_type"] = roles[(i+1)%3]
				}
			}
		}, trust.ErrMetadata}
		// Going back is for those alone whose last version nobody may have signed.
		cases["back, "+role+" has one key more"] = step{func(s *state) {
			s.next(func(r *trust.Root) { gives(r, role, 1, signer(byte(i+2)), signer(8)) })
			s.version[role] = 4
		}, trust.ErrRollback}
		cases["back, "+role+" has another key"] = step{func(s *state) {
			s.next(func(r *trust.Root) { gives(r, role, 1, signer(8)) })
			s.signers[role], s.version[role] = []trust.Signer{signer(8)}, 1
		}, nil}
		cases["back, but only another role has another key than "+role] = step{func(s *state) {
			other := roles[(i+1)%3]
			s.next(func(r *trust.Root) { gives(r, other, 1, signer(8)) })
			s.signers[other], s.version[role] = []trust.Signer{signer(8)}, 1
		}, trust.ErrRollback}
	}
	memory, err := newState().follow(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range cases {
		s := newState()
		s.version = maps.Clone(five)
		tt.change(s)
		if _, err := s.follow(t, memory, nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		if tt.want == trust.ErrRollback {
			if _, err := s.follow(t, memory, func(c *trust.Chain) { c.AllowRollback = true }); err != nil {
				t.Errorf("%s, allowed: %v", name, err)
			}
		}
		if tt.want == trust.ErrExpired {
			if _, err := s.follow(t, memory, func(c *trust.Chain) { c.AllowExpired = true }); err != nil {
				t.Errorf("%s, allowed: %v", name, err)
			}
		}
		if accepted, counts := askOracle(t, name, s, tt.want == trust.ErrRollback); counts && accepted != (tt.want == nil) {
			t.Errorf("%s: accepted by go-tuf: %v, want %v", name, accepted, tt.want)
		}
	}
}

// A memory of an earlier pakdb does not say who signed: its versions count all the same.
func TestMemoryWithoutSigners(t *testing.T) {
	memory, err := newState().follow(t, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(memory, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "signers")
	b, err := json.Marshal(m)
	if err != nil || strings.Contains(string(b), "signers") {
		t.Fatal(err)
	}
	s := newState()
	s.next(func(r *trust.Root) { r.Expires = r.Expires.AddDate(1, 0, 0) })
	s.version[trust.RoleTimestamp] = 4
	if _, err := s.follow(t, b, nil); !errors.Is(err, trust.ErrRollback) {
		t.Error(err)
	}
}
