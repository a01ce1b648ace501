package store_test

import (
	"strings"
	"testing"

	"pakdb/diff/ship/store"
)

func TestDoubt(t *testing.T) {
	const changed, seen, owner = "can change the data", "hold back new builds", "can change the game"
	for _, c := range []struct{ location, unsigned, signed string }{
		{"/srv/game", "", ""},
		{`C:\srv\game`, "", ""},
		{"http://127.0.0.1:8000/game", "", ""},
		{"http://[::1]/game", "", ""},
		{"http://localhost/game", "", ""},
		{"http://LOCALHOST:80", "", ""},
		{"http://localhost.example.org/game", changed, seen},
		{"http://cdn.example.org/game", changed, seen},
		{"http://127.0.0.1.example.org/", changed, seen},
		{"http://[::ffff:127.0.0.1]/", "", ""},
		{"http://10.0.0.1/", changed, seen},
		{"https://cdn.example.org/game", owner, ""},
		{"s3://bucket/game", owner, ""},
		{"s3://bucket/game?endpoint=http://127.0.0.1:9000", "", ""},
		{"s3://bucket/game?endpoint=http://store.example.org", changed, seen},
		{"s3://bucket/game?endpoint=store.example.org", owner, ""},
		{"https://user:secret@cdn.example.org/game", owner, ""},
	} {
		for signed, want := range map[bool]string{false: c.unsigned, true: c.signed} {
			got := store.Doubt(c.location, signed)
			if (want == "") != (got == "") || !strings.Contains(got, want) || strings.Contains(got, "secret") {
				t.Errorf("%s, signed %v: %q, want %q", c.location, signed, got, want)
			}
		}
	}
}
