package trust_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
)

func signer(n byte) trust.Signer {
	return trust.Signer(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize)))
}

var day = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// root is one whose roles have all the keys.
func root(version int64, threshold int, signers ...trust.Signer) *trust.Root {
	r := &trust.Root{Head: trust.NewHead(trust.RoleRoot, version, day.AddDate(1, 0, 0)), Consistent: true, Keys: map[string]trust.Key{}, Roles: map[string]trust.Role{}}
	var ids []string
	for _, s := range signers {
		r.Keys[s.Public().ID()] = s.Public()
		ids = append(ids, s.Public().ID())
	}
	for _, role := range trust.Roles() {
		r.Roles[role] = trust.Role{KeyIDs: ids, Threshold: threshold}
	}
	return r
}

func sign(t testing.TB, m any, signers ...trust.Signer) []byte {
	t.Helper()
	b, err := trust.Sign(m, signers)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`{"b" : 1, "a":[ true,null , "x\n\"\\é"]}`: "{\"a\":[true,null,\"x\n\\\"\\\\é\"],\"b\":1}",
		`[]`:                   `[]`,
		`{}`:                   `{}`,
		`-3`:                   `-3`,
		`{"a":1,"a":2}`:        "", // readers differ about which counts
		`1.5`:                  "",
		`1e3`:                  "",
		`{"a":1} {"a":1}`:      "",
		`{"a":1`:               "",
		``:                     "",
		`99999999999999999999`: "",
		strings.Repeat("[", 20) + strings.Repeat("]", 20): "",
	} {
		got, err := trust.Canonical([]byte(text))
		if string(got) != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, trust.ErrMetadata) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// The id of a key is that of TUF's specification: the SHA-256 of its canonical JSON.
func TestKeyID(t *testing.T) {
	const want = "7ab6b86cb2c9684b0ddc10896153aa2595decf4d4327a5ff1a8ab7422c828b12" // sha256sum's
	if id := signer(1).Public().ID(); id != want {
		t.Errorf("id %q, want %q", id, want)
	}
}

// TestRootsThatAreNone: roots that let fewer sign than they say, or nobody.
func TestRootsThatAreNone(t *testing.T) {
	a, b := signer(1), signer(2)
	for name, change := range map[string]func(*trust.Root){
		"no role":     func(r *trust.Root) { delete(r.Roles, trust.RoleTargets) },
		"threshold 0": func(r *trust.Root) { r.Roles[trust.RoleRoot] = trust.Role{KeyIDs: r.Roles[trust.RoleRoot].KeyIDs} },
		"threshold too high": func(r *trust.Root) {
			r.Roles[trust.RoleRoot] = trust.Role{KeyIDs: r.Roles[trust.RoleRoot].KeyIDs, Threshold: 3}
		},
		"a key twice": func(r *trust.Root) {
			r.Roles[trust.RoleRoot] = trust.Role{KeyIDs: []string{a.Public().ID(), a.Public().ID()}, Threshold: 2}
		},
		"a key by two names": func(r *trust.Root) { r.Keys["other"] = a.Public() },
		"a key in two spellings": func(r *trust.Root) {
			k := a.Public()
			k.Value.Public = strings.ToUpper(k.Value.Public)
			r.Keys[k.ID()] = k
		},
		"a key that is absent": func(r *trust.Root) { delete(r.Keys, b.Public().ID()) },
		"version 0":            func(r *trust.Root) { r.Version = 0 },
		"another role":         func(r *trust.Root) { r.Type = trust.RoleTargets },
		"TUF 2":                func(r *trust.Root) { r.Spec = "2.0.0" },
		"no expiry":            func(r *trust.Root) { r.Expires = time.Time{} },
		"not consistent":       func(r *trust.Root) { r.Consistent = false },
	} {
		r := root(1, 1, a, b)
		r.Roles = maps.Clone(r.Roles)
		change(r)
		if _, err := trust.Start(sign(t, r, a, b), nil); !errors.Is(err, trust.ErrMetadata) {
			t.Errorf("%s: %v", name, err)
		}
	}
	twice := sign(t, root(1, 2, a, b), a)
	twice = bytes.Replace(twice, []byte(`"signatures": [`), []byte(`"signatures": [`+sigOf(twice)+","), 1)
	if _, err := trust.Start(twice, nil); !errors.Is(err, trust.ErrSignature) {
		t.Errorf("the signature of one key twice: %v", err)
	}
}

// sigOf returns the only signature of metadata.
func sigOf(b []byte) string {
	_, rest, _ := strings.Cut(string(b), `"signatures": [`)
	one, _, _ := strings.Cut(rest, "]")
	return one
}

func TestNextRoot(t *testing.T) {
	a, b, c := signer(1), signer(2), signer(3)
	start := func() *trust.Chain {
		chain, err := trust.Start(sign(t, root(1, 1, a), a), nil)
		if err != nil {
			t.Fatal(err)
		}
		chain.Now = day
		return chain
	}
	for name, tt := range map[string]struct {
		next    *trust.Root
		signers []trust.Signer
		want    error
	}{
		"by both":              {root(2, 1, b), []trust.Signer{a, b}, nil},
		"by the new one alone": {root(2, 1, b), []trust.Signer{b}, trust.ErrSignature},
		"by the old one alone": {root(2, 1, b), []trust.Signer{a}, trust.ErrSignature},
		"one of two":           {root(2, 2, b, c), []trust.Signer{a, b}, trust.ErrSignature},
		"two of two":           {root(2, 2, b, c), []trust.Signer{a, b, c}, nil},
		"the same version":     {root(1, 1, a), []trust.Signer{a}, trust.ErrRollback},
		"one that is skipped":  {root(3, 1, a), []trust.Signer{a}, trust.ErrRollback},
	} {
		chain := start()
		err := chain.NextRoot(sign(t, tt.next, tt.signers...))
		if !errors.Is(err, tt.want) || err != nil && chain.Root.Version != 1 {
			t.Errorf("%s: %v, want %v; root %d", name, err, tt.want, chain.Root.Version)
		}
	}
}

// TestMemory: what a chain remembers is what the next one begins with.
func TestMemory(t *testing.T) {
	a, b := signer(1), signer(2)
	chain, err := trust.Start(sign(t, root(1, 1, a), a), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.NextRoot(sign(t, root(2, 1, b), a, b)); err != nil {
		t.Fatal(err)
	}
	text, err := chain.Remember()
	if err != nil {
		t.Fatal(err)
	}
	again, err := trust.Recall(text)
	if err != nil || again.Root.Version != 2 || !again.Knows(a.Public()) || !again.Knows(b.Public()) || again.Knows(signer(3).Public()) {
		t.Errorf("%v, %v", again, err)
	}
	for i := range text { // cut short
		if _, err := trust.Recall(text[:i]); err == nil && i < len(text)-1 {
			t.Fatalf("%d bytes are a memory", i)
		}
	}
}

// FuzzMetadata reads hostile metadata of all roles: none is taken that the key has not
// signed, whatever it says.
func FuzzMetadata(f *testing.F) {
	a := signer(1)
	first := sign(f, root(1, 1, a), a)
	until := day.AddDate(0, 1, 0)
	targets := sign(f, &trust.Targets{Head: trust.NewHead(trust.RoleTargets, 1, until), Targets: map[string]trust.Target{
		"builds/1.json": {Length: 3, Hashes: trust.Hashes([]byte("abc")), Custom: trust.Custom{Order: 1}}},
		Channels: store.Channels{"stable": {{Build: "1", Share: 10}}}}, a)
	meta := func(b []byte) trust.Meta {
		return trust.Meta{Version: 1, Length: int64(len(b)), Hashes: trust.Hashes(b)}
	}
	snapshot := sign(f, &trust.Snapshot{Head: trust.NewHead(trust.RoleSnapshot, 1, until), Meta: map[string]trust.Meta{"targets.json": meta(targets)}}, a)
	stamp := sign(f, &trust.Timestamp{Head: trust.NewHead(trust.RoleTimestamp, 1, until), Meta: map[string]trust.Meta{"snapshot.json": meta(snapshot)}}, a)
	for _, b := range [][]byte{first, sign(f, root(2, 1, a), a), targets, snapshot, stamp, []byte(`{"signatures":[],"signed":{}}`)} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = trust.ParseRoot(b)
		_, _ = trust.ParseTargets(b)
		_, _ = trust.ParseSnapshot(b)
		_, _ = trust.ParseTimestamp(b)
		_, _ = trust.Recall(b)
		if c, err := trust.Canonical(b); err == nil {
			if again, err := trust.Canonical(c); err == nil && !bytes.Equal(again, c) {
				t.Fatalf("not canonical: %q, then %q", c, again)
			}
		}
		key := a.Public()
		if c, err := trust.Start(b, &key); err == nil && !c.Knows(key) {
			t.Fatal("a root by nobody")
		}
		chain, err := trust.Start(first, nil)
		if err != nil {
			t.Fatal(err)
		}
		chain.Now = day
		for step, set := range []func([]byte) error{chain.NextRoot, chain.SetTimestamp, chain.SetSnapshot, chain.SetTargets} {
			if err := set(b); err == nil && !bytes.Contains(b, []byte("sig")) {
				t.Fatal("taken unsigned, step ", step)
			}
			for _, good := range [][]byte{nil, stamp, snapshot, targets}[step : step+1] {
				if good != nil {
					if err := set(good); err != nil {
						return // b was another sound one
					}
				}
			}
		}
		if chain.Targets == nil || chain.Targets.Labels()[0] != "1" {
			t.Fatal("no targets")
		}
	})
}

// TestCorpus keeps the committed corpus of FuzzMetadata in step: with WRITE_CORPUS set
// it is written.
func TestCorpus(t *testing.T) {
	a := signer(1)
	for name, b := range map[string][]byte{
		"root":      sign(t, root(1, 1, a), a),
		"two-keys":  sign(t, root(2, 2, a, signer(2)), a, signer(2)),
		"unsigned":  sign(t, root(2, 1, signer(2)), signer(2)),
		"targets":   sign(t, &trust.Targets{Head: trust.NewHead(trust.RoleTargets, 1, day)}, a),
		"snapshot":  sign(t, &trust.Snapshot{Head: trust.NewHead(trust.RoleSnapshot, 1, day), Meta: map[string]trust.Meta{"targets.json": {Version: 1 << 53, Length: -1}}}, a),
		"timestamp": sign(t, &trust.Timestamp{Head: trust.NewHead(trust.RoleTimestamp, 1, day)}, a),
		"deep":      []byte(strings.Repeat(`{"a":`, 40)),
		"twice":     []byte(`{"signed":{"_type":"root","_type":"targets"},"signatures":null}`),
	} {
		file := "testdata/fuzz/FuzzMetadata/" + name
		want := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", b)
		if os.Getenv("WRITE_CORPUS") != "" {
			if err := errors.Join(os.MkdirAll("testdata/fuzz/FuzzMetadata", 0o777), os.WriteFile(file, []byte(want), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what this version writes: %v", file, err)
		}
	}
}
