package query_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
	"pakdb/testdata/gen/fixture"
)

// openRetro opens a catalog of one build for each pak, named as its file.
func openRetro(t testing.TB, paks ...string) *query.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, pak := range paks {
		_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(),
			Paths: []string{pak}, Label: filepath.Base(pak)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	beside := schema.ReadLater(path)
	db, err := query.Open(context.Background(), path, query.Options{Functions: show.GraphFunctions(beside)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = db.Close(), beside.Close() })
	return db
}

// TestRetroQueries asks about the generator's paks: those of two games, whose
// contents of unknown structure give strong and weak references.
func TestRetroQueries(t *testing.T) {
	dir := t.TempDir()
	var paks []string
	for _, version := range []string{"MP1", "MP3"} {
		paks = append(paks, filepath.Join(dir, version))
		f, err := os.Create(paks[len(paks)-1])
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(fixture.Retro(f, version), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	db := openRetro(t, paks...)
	all := load(t, "")
	for _, build := range []string{"MP1", "MP3"} {
		for _, c := range []struct{ name, param, value string }{
			{"retro-duplicates", "differ", "0"}, {"retro-duplicates", "differ", "1"},
			{"locality", "weak", "0"}, {"locality", "weak", "1"},
			{"unreachable", "weak", "0"}, {"unreachable", "weak", "1"},
		} {
			got, err := runNamed(t, db, all[c.name], nil, map[string]string{"build": build, c.param: c.value}, "csv")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("retro-%s-%s-%s%s.csv", build, c.name, c.param, c.value), got)
		}
	}
}

// retroTruth is what the maker of a sample says of it.
type retroTruth struct {
	Named   []struct{ Type, ID string }
	Entries []struct {
		Type, ID string
		Deps     []struct{ Type, ID string }
	}
}

// unreached follows the dependencies from the names.
func (r *retroTruth) unreached() (paths []string) {
	reached := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if reached[id] {
			return
		}
		reached[id] = true
		for _, e := range r.Entries {
			for _, d := range e.Deps {
				if e.ID == id {
					visit(d.ID)
				}
			}
		}
	}
	for _, n := range r.Named {
		visit(n.ID)
	}
	for _, e := range r.Entries {
		if !reached[e.ID] {
			paths = append(paths, e.Type+"/"+strings.ToLower(e.ID))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func TestRetroQueriesOnSamples(t *testing.T) {
	text, err := os.ReadFile(codecstest.Sample(t, "retro-pak", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	// Of TestWorld, computed by hand from the offsets in truth.json.
	locality := map[string]string{
		"mp1_small.pak":    "seek,entries,spread\n145088,13,92448\n",
		"mp3_small.pak":    "seek,entries,spread\n193216,12,50112\n",
		"mp3_small_v2.pak": "seek,entries,spread\n189184,11,50432\n",
	}
	queries := load(t, "")
	for _, name := range []string{"mp1_small.pak", "mp3_small.pak", "mp3_small_v2.pak"} {
		t.Run(name, func(t *testing.T) {
			var truth retroTruth
			if err := json.Unmarshal(parts[name], &truth); err != nil {
				t.Fatal(err)
			}
			db := openRetro(t, codecstest.Sample(t, "retro-pak", name))
			for _, weak := range []string{"0", "1"} {
				got, err := runNamed(t, db, queries["unreachable"], nil, map[string]string{"weak": weak}, "csv")
				if err != nil {
					t.Fatal(err)
				}
				var paths []string
				for _, line := range strings.Split(strings.TrimSpace(got), "\n")[1:] {
					path, _, _ := strings.Cut(line, ",")
					paths = append(paths, path)
				}
				slices.Sort(paths)
				if want := truth.unreached(); !slices.Equal(paths, want) {
					t.Errorf("unreachable: %q, want %q", paths, want)
				}
			}
			const world = `SELECT value ->> 'seek' AS seek, value ->> 'entries' AS entries, value ->> 'spread' AS spread
				FROM json_each(graph_locality('', 0)) WHERE value ->> 'name' = 'TestWorld'`
			got, err := run(t, db, world, query.Args{}, query.Output{Format: "csv"})
			if err != nil || got != locality[name] {
				t.Errorf("locality: %q, %v; want %q", got, err, locality[name])
			}
		})
	}
}
