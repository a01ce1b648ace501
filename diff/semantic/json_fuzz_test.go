package semantic

import "testing"

// FuzzJSON: a document does not differ from itself, and what differs one way does
// so the other way round.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":null}],"c":"x"}`), []byte(`{"a":[1,{"b":true}],"d":1e9}`))
	f.Add([]byte("\xef\xbb\xbf[]"), []byte(`[[[]]]`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if same, ok := jsonChanges(a, a); ok && len(same) > 0 {
			t.Errorf("differs from itself: %v", same)
		}
		there, ok := jsonChanges(a, b)
		back, ok2 := jsonChanges(b, a)
		if ok != ok2 || (len(there) == 0) != (len(back) == 0) {
			t.Errorf("%d changes there (%v), %d back (%v)", len(there), ok, len(back), ok2)
		}
	})
}
