package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// FuzzManifest: whatever the bytes, a manifest is read or refused, and what is read
// is what package json reads of it.
func FuzzManifest(f *testing.F) {
	state := fmt.Sprintf(`"format": %d, "coder": %q`, Format, coder)
	id := strings.Repeat("ab", 32)
	f.Add([]byte(`{` + state + `, "builds": ["1.0", "1.1"]}`))
	f.Add([]byte(`{` + state + `, "builds": ["1"], "channels": {"stable": [{"build": "1", "share": 10000, "min_client": "1.2"}]}}`))
	f.Add([]byte(`{` + state + `, "label": "1", "time": "2026-11-21T18:00:00Z", "files": "` + id + `", "x": [{"y": [[null]]}], "tables": [{"first": 1, "last": 2, "object": "` + id + `"}]}`))
	f.Add([]byte(`{` + state + `, "label": "1", "deltas": [{"name": "n", "size": 5, "old": null, "new": ["a"]}, {"name": "m", "size": 7, "old": [{"path": "a", "size": 1, "blake3": "` + id + `"}], "new": ["b"]}],` +
		` "contents": [{"from": "0", "count": 1, "size": 2, "object": "` + id + `"}]}`))
	f.Add([]byte(`{"format": 4, "coder": "` + coder + `", "builds": ["1.0", "1.0@windows"], "channels": {"stable": [{"build": "1.0@windows", "share": 1}]}}`))
	f.Add([]byte(`{` + state + `, "label": "1", "parts": [{"name": "fr", "files": [0, 2, 5, 1]}, {"name": "dlc1", "files": [1, 1]}]}`))
	f.Add([]byte(`[{"path": "a", "size": 1, "blake3": "` + id + `"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, err := ParseIndex(b); err == nil {
			var want Index
			if err := json.Unmarshal(b, &want); err != nil || len(want.Builds)+len(x.Builds) > 0 && !reflect.DeepEqual(&want, x) && !twice(b) {
				t.Errorf("%+v, %v, want %+v", x, err, want)
			}
		}
		if x, err := ParseBuild(b); err == nil {
			var want Build
			if err := json.Unmarshal(b, &want); err != nil || want.Label != x.Label && !twice(b) || x.Parts.Check() != nil {
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

// twice reports that a key may be there twice, or in other case, which package json
// takes for the same.
func twice(b []byte) bool {
	b = bytes.ToLower(b)
	return bytes.Count(b, []byte("builds")) != 1 || bytes.Count(b, []byte("label")) != 1 || bytes.Contains(b, []byte(`\`))
}
