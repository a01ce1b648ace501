package schema_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pakdb/schema"
)

// The statistics of a catalog of one entry must not make look-ups read whole
// tables: the next build may be large.
func TestFewRowsAreNoStatistics(t *testing.T) {
	for _, entries := range []int64{1, 10, 99, 150} {
		t.Run(fmt.Sprint(entries), func(t *testing.T) { checkLookups(t, entries) })
	}
}

// checkLookups looks at the plans of look-ups behind a build of so many entries.
func checkLookups(t *testing.T, entries int64) {
	t.Helper()
	ctx := context.Background()
	c, path := newCatalog(t)
	b, err := c.Begin(ctx, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	id := b.StartArchive(schema.Archive{Format: "test"})
	for i := range entries {
		e := &schema.Entry{Ordinal: i, Name: fmt.Sprintf("dir%d/file", i), Method: "none", HasContent: true, Content: schema.Digest{byte(i)}}
		if err := b.Add(id, e); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "a"})
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db := readDB(t, path)
	for _, query := range []string{
		"SELECT 1 FROM json_each('[]') src CROSS JOIN content_key k ON k.key = src.value CROSS JOIN content c ON c.content_id = k.content_id",
		"SELECT 1 FROM json_each('[]') src CROSS JOIN path_key k ON k.key = src.value CROSS JOIN path p ON p.path_id = k.path_id CROSS JOIN dir d ON d.dir_id = p.dir_id",
	} {
		rows, err := db.Query("EXPLAIN QUERY PLAN " + query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var step, parent, unused int
			var detail string
			if err := rows.Scan(&step, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(detail, "SCAN") && !strings.HasPrefix(detail, "SCAN src") {
				t.Errorf("%s: %s", detail, query)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
