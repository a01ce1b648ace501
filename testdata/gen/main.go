// Command gen writes the fixtures of this repository, or one large archive for
// benchmarks.
//
//	go run ./testdata/gen                            # rewrites testdata/*.sip
//	go run ./testdata/gen -locked -o game            # a game of Unreal Engine, encrypted, with mappings and key
//	go run ./testdata/gen -entries 1000000 -o FILE   # a KAPG of that many entries
//	go run ./testdata/gen -entries 1000000 -build 2 -o FILE # the next build of the game
//	go run ./testdata/gen -entries 80000 -o FILE.pak # a pak of Metroid Prime 3
//	go run ./testdata/gen -entries 1000000 -changes scattered -build 2 -o FILE # build 2 of a game whose contents change
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"pakdb/testdata/gen/fixture"
)

func main() {
	entries := flag.Int("entries", 0, "write one large archive of so many entries")
	build := flag.Int("build", 1, "which build of the game: each later one changes another hundredth of the first")
	changes := flag.String("changes", "", "write an Unreal pak whose next builds change so: scattered, clustered, front, reordered")
	locked := flag.Bool("locked", false, "write two encrypted builds of a game of Unreal Engine, with mappings and key")
	out := flag.String("o", "testdata", "folder of the fixtures, or file of the large archive")
	flag.Parse()
	if err := run(*locked, *entries, *build, *changes, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(locked bool, entries, build int, changes, out string) error {
	if locked {
		return fixture.Locked(out)
	}
	if entries == 0 {
		return fixture.Write(out)
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	write := func() error { return fixture.Large(f, entries, build) }
	if filepath.Ext(out) == ".pak" {
		write = func() error { return fixture.LargeRetro(f, entries) }
	}
	if changes != "" {
		write = func() error { return fixture.Game(f, entries, build, fixture.Changes(changes)) }
	}
	if err := write(); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
