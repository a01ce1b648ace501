package compare

import "testing"

func TestIsStatement(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT path FROM diff(:old, :new)": true, " with a AS (SELECT 1) SELECT * FROM a": true,
		"select": false, "SELECTED/*.uasset": false, "Maps/**": false, "delete from entry": false, "": false,
	} {
		if got := isStatement(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
