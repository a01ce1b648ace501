package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzManifest: whatever the bytes, a manifest is read or refused, and what is read
// is what package json reads of it.
func FuzzManifest(f *testing.F) {
	state := fmt.Sprintf(`"format": %d, "coder": %q`, Format, coderID)
	id := strings.Repeat("ab", 32)
	f.Add([]byte(`{` + state + `, "builds": ["1.0", "1.1"]}`))
	f.Add([]byte(`{` + state + `, "builds": ["1"], "channels": {"stable": [{"build": "1", "share": 10000, "min_client": "1.2"}]}}`))
	f.Add([]byte(`{` + state + `, "label": "1", "time": "2026-11-21T18:00:00Z", "files": "` + id + `", "x": [{"y": [[null]]}], "tables": [{"first": 1, "last": 2, "object": "` + id + `"}]}`))
	f.Add([]byte(`{` + state + `, "label": "1", "deltas": [{"name": "n", "size": 5, "old": null, "new": ["a"]}, {"name": "m", "size": 7, "old": [{"path": "a", "size": 1, "blake3": "` + id + `"}], "new": ["b"]}],` +
		` "contents": [{"from": "0", "count": 1, "size": 2, "object": "` + id + `"}]}`))
	f.Add([]byte(`{"format": 4, "coder": "` + coderID + `", "builds": ["1.0", "1.0@windows"], "channels": {"stable": [{"build": "1.0@windows", "share": 1}]}}`))
	f.Add([]byte(`{` + state + `, "label": "1", "damaged": ["Game.pak: footer"], "parts": [{"name": "fr", "files": [0, 2, 5, 1]}, {"name": "dlc1", "files": [1, 1]}]}`))
	f.Add([]byte(`[{"path": "a", "size": 1, "blake3": "` + id + `"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, err := ParseIndex(b); err == nil {
			var want Index
			if err := json.Unmarshal(b, &want); err != nil && !otherCase(b) || len(want.Builds)+len(x.Builds) > 0 && !reflect.DeepEqual(&want, x) && once(b, "format coder by builds trust channels") {
				t.Errorf("%+v, %v, want %+v", x, err, want)
			}
		}
		if x, err := ParseBuild(b); err == nil {
			var want Build
			if err := json.Unmarshal(b, &want); err != nil && !otherCase(b) || (want.Label != x.Label || !slices.Equal(want.Damaged, x.Damaged)) && once(b, "label damaged") || x.Parts.Check() != nil {
				t.Errorf("%+v, %v, want %+v", x, err, want)
			}
		}
		n := 0
		if err := parseFiles(bytes.NewReader(b), func(*File) error { n++; return nil }); err == nil {
			var want []File
			if err := json.Unmarshal(b, &want); err != nil || len(want) != n {
				t.Errorf("%d files, %v, want %d", n, err, len(want))
			}
		}
	})
}

// once reports that no key is there twice, or in other case. Package json takes the last
// one, and adds up what lists and objects have.
func once(b []byte, keys string) bool {
	for _, key := range strings.Fields(keys) {
		if bytes.Count(b, []byte(key)) > 1 {
			return false
		}
	}
	return !otherCase(b)
}

// otherCase reports that a key may be there in other case. Package json takes it for the
// same, and may refuse what it has; a manifest passes it over, as any key it does not know.
func otherCase(b []byte) bool {
	folded := bytes.ToLower(bytes.ToUpper(b)) // there are letters that have s and k as their upper case alone
	for _, key := range strings.Fields("format coder by builds trust channels label time files earlier parts tables contents deltas damaged") {
		if bytes.Count(folded, []byte(key)) != bytes.Count(b, []byte(key)) {
			return true
		}
	}
	return bytes.Contains(b, []byte(`\`)) // escapes in keys
}
