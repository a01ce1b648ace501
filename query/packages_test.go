package query_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// packagesCatalog makes a catalog of one build of small Unreal packages.
func packagesCatalog(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	class := func(name, super, defaults string) codecstest.Export {
		return codecstest.Export{Name: name, Super: super, Ints: defaults}
	}
	for path, p := range map[string]codecstest.Package{
		"System/Core.u":   {Exports: []codecstest.Export{class("Object", "", "Root=1")}},
		"System/Engine.u": {Imports: []string{"Core.Object"}, Exports: []codecstest.Export{class("Actor", "Core.Object", "Actor=1")}},
		"System/Game.u": {Imports: []string{"Engine.Actor", "Skins.Red", "Game"}, Exports: []codecstest.Export{
			class("Hero", "Engine.Actor", strings.Repeat("H=1 ", 80)), {Name: "Hero0", Class: "Engine.Actor", Tail: "hero 0"}}},
		"Maps/Arena.unr":    {Imports: []string{"Game.Hero", "skins"}, Exports: []codecstest.Export{{Name: "H", Class: "Game.Hero", Tail: "h"}}},
		"Backup/Engine.u":   {Imports: []string{"Core.Object"}},
		"Backup/Core.u":     {Exports: []codecstest.Export{class("Object", "", "Root=1")}}, // the same as in System
		"Textures/Blue.utx": {Exports: []codecstest.Export{{Name: "Wall", Class: "Engine.Mesh", Tail: strings.Repeat("b", 3000)}}},
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, p.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "one", Paths: []string{dir}})
	if err != nil || r.Problems > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openPackages(t *testing.T, path string) *query.DB {
	t.Helper()
	beside := schema.ReadLater(path)
	db, err := query.Open(context.Background(), path, query.Options{Functions: show.GraphFunctions(beside)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(); _ = beside.Close() })
	return db
}

// TestPackageQueries runs the named queries about Unreal packages where they
// have something to tell.
func TestPackageQueries(t *testing.T) {
	db := openPackages(t, packagesCatalog(t))
	all := load(t, "")
	for name, args := range map[string][]string{
		"missing-dependencies": nil, "unused-packages": nil, "package-conflicts": nil, "largest-exports": {"3"},
		"class-histogram": nil, "size-by-class": nil, "who-references": {"CORE"}, "missing-references": nil, "cycles": nil,
	} {
		t.Run(name, func(t *testing.T) {
			fitsTerminal(t, db, all[name], args)
			got, err := runNamed(t, db, all[name], args, nil, "csv")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "packages-"+name+".csv", got)
		})
	}
}
