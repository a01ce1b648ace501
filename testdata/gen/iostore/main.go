// Command iostore writes an IoStore container of many small chunks, for
// benchmarks of what concerns its table alone:
//
//	go run ./testdata/gen/iostore -chunks 500000 FILE.utoc
//	go run ./testdata/gen/iostore -chunks 500000 -build 2 FILE.utoc # a fiftieth has changed
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/iostore"
)

func main() {
	chunks := flag.Int("chunks", 500_000, "how many chunks")
	build := flag.Int("build", 1, "which build of the game: each changes the contents of another fiftieth")
	flag.Parse()
	if err := run(flag.Arg(0), *chunks, *build); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(path string, chunks, build int) error {
	ctx := context.Background()
	o := codecs.CreateOptions{MountPoint: "../../../"}
	return codecs.WriteFile(ctx, path, iostore.Format(), &o, func(w codecs.Writer) error {
		for i := range chunks {
			if err := w.Add(ctx, &codecs.Entry{Name: name(i)}, strings.NewReader(content(i, build))); err != nil {
				return err
			}
		}
		return nil
	})
}

// name is a path as games have them: seven of ten chunks are packages, the
// others the bulk data of those.
func name(i int) string {
	of, ext := i, ".uasset"
	if i%10 >= 7 {
		of, ext = i-3, ".ubulk"
	}
	return fmt.Sprintf("Game/Content/Characters/Heroes/Folder%04d/Sub%02d/SK_Some_Mesh_Of_It_%06d%s", of/200, of/20%10, of, ext)
}

func content(i, build int) string {
	if i%50 != build%50 {
		build = 0
	}
	return fmt.Sprintf("content of chunk %d in build %d%s", i, build, strings.Repeat(".", i%97))
}
