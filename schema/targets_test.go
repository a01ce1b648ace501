package schema_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// TestTargetsOfSeveralArchives: the place of a content that lies in several archives of a build
// is that in the first of them, not the file of one and the ordinal of another.
func TestTargetsOfSeveralArchives(t *testing.T) {
	c, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "c.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	b, err := c.Begin(t.Context(), "x", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for n, ordinal := range []int64{5, 2} {
		name := string(rune('a' + n))
		id, err := schematest.TryStart(t.Context(), b, schema.Archive{Size: int64(n), Quick: digest(n), Scan: "s", Format: "test"})
		if err != nil {
			t.Fatal(err)
		}
		facts := &schema.Facts{Inspector: "i/1", Kind: "k", Scan: "all", Refs: []schema.Ref{{Kind: "k", Space: "s", Key: 3}}}
		if err := b.Add(id, &schema.Entry{Name: name, Ordinal: ordinal, Method: "none", HasContent: true, Content: digest(7), ContentSize: 9, Facts: facts}); err != nil {
			t.Fatal(err)
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name})
	}
	const want = "1 /a 5"
	searched, err := b.Targets(t.Context())
	if got := targetsText(searched); err != nil || got != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	unresolved, err := b.Unresolved(t.Context(), "(SELECT 3 AS id)", "s")
	if got := targetsText(unresolved); err != nil || got != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
}

func targetsText(all []schema.Target) (text string) {
	for _, t := range all {
		text += fmt.Sprint(t.Content, " ", t.Location, " ", t.Ordinal)
	}
	return text
}
