package query_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// BenchmarkSchema runs the examples of SCHEMA.md, each once, on the catalog that
// PAKDB_BENCH_CATALOG names: one that docs/bench_catalog.sh made. An example is to end
// within a second; one that takes 30 is ended.
//
//	PAKDB_BENCH_CATALOG=catalog.db go test ./query -run '^$' -bench Schema -benchtime 1x
func BenchmarkSchema(b *testing.B) {
	path := os.Getenv("PAKDB_BENCH_CATALOG")
	if path == "" {
		b.Skip("PAKDB_BENCH_CATALOG names no catalog")
	}
	beside := schema.ReadLater(path)
	defer func() { _ = beside.Close() }()
	contents := query.NewContents(path, registry(), nil, nil)
	defer func() { _ = contents.Close() }()
	db, err := query.Open(context.Background(), path, query.Options{Contents: contents, Functions: show.GraphFunctions(beside)})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	labels, err := run(b, db, "SELECT build FROM builds WHERE entry_count > 1 ORDER BY build_id DESC LIMIT 2", query.Args{}, query.Output{Format: "csv", NoHeader: true})
	if err != nil {
		b.Fatal(err)
	}
	builds := strings.Fields(labels) // the newest first
	slow := 0
	for _, e := range examples(b) {
		text := ofBuilds(e.sql, builds[0], builds[len(builds)-1])
		b.Run(e.name, func(b *testing.B) {
			for range b.N {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				err := db.Run(ctx, text, query.Args{}, query.Output{Format: "csv", W: io.Discard})
				cancel()
				if err != nil {
					b.Error(err)
				}
			}
			if b.Elapsed() > time.Duration(b.N)*time.Second {
				slow++
				b.Logf("%.1f s a run:\n%s", b.Elapsed().Seconds()/float64(b.N), text)
			}
		})
	}
	b.Logf("%d examples take more than a second", slow)
}

// labelled finds the builds that an example is about.
var labelled = regexp.MustCompile(`\b(build|label) = '[^']*'`)

// ofBuilds returns an example about other builds: all that it names are the newer one,
// but for 1.0, and for ue where it compares that with ue-next.
func ofBuilds(sql, newer, older string) string {
	return labelled.ReplaceAllStringFunc(sql, func(term string) string {
		build := newer
		if strings.HasSuffix(term, "'1.0'") || strings.HasSuffix(term, "'ue'") && strings.Contains(sql, "'ue-next'") {
			build = older
		}
		return labelled.ReplaceAllString(term, "${1} = '"+build+"'")
	})
}

type example struct{ name, sql string }

// examples returns the statements in SCHEMA.md, by their sections.
func examples(tb testing.TB) (all []example) {
	tb.Helper()
	text, err := os.ReadFile("../schema/SCHEMA.md")
	if err != nil {
		tb.Fatal(err)
	}
	section, n := "", 0
	for i, part := range strings.Split(string(text), "```") {
		sql, ok := strings.CutPrefix(part, "sql\n")
		if ok && i%2 == 1 {
			n++
			all = append(all, example{fmt.Sprintf("%s/%d", section, n), sql})
			continue
		}
		if at := strings.LastIndex("\n"+part, "\n### "); at >= 0 {
			section, _, _ = strings.Cut(part[at+len("### "):], "\n")
			n = 0
		}
	}
	if len(all) < 100 {
		tb.Fatalf("%d examples found", len(all))
	}
	return all
}
