// Command unreal makes what docs/bench_unrealpak.sh measures on: a folder of
// files that compress like game data, or a pak of many small entries.
//
//	unreal -files 4000 -bytes 500000000 DIR
//	unreal -entries 120000 FILE.pak
//
// The same arguments give the same bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unrealpak"
)

func main() {
	files := flag.Int("files", 0, "so many files in a folder")
	size := flag.Int64("bytes", 500_000_000, "of all files together")
	entries := flag.Int("entries", 0, "so many entries in a pak")
	version := flag.String("version", "11", "of the pak")
	flag.Parse()
	var err error
	switch {
	case flag.NArg() != 1:
		err = fmt.Errorf("one path wanted, of the folder or the pak")
	case *files > 0:
		err = writeFolder(flag.Arg(0), *files, *size)
	default:
		err = writePak(flag.Arg(0), *version, *entries)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "unreal:", err)
		os.Exit(1)
	}
}

// writeFolder writes files of sizes between a quarter and seven quarters of the
// mean, about half of whose bytes are noise.
func writeFolder(dir string, n int, total int64) error {
	r := rand.New(rand.NewPCG(1, 2))
	mean := total / int64(n)
	for i := range n {
		size := mean/4 + r.Int64N(mean*3/2)
		name := filepath.Join(dir, "Game", "Content", fmt.Sprintf("Dir%02d", i%64), fmt.Sprintf("Asset%05d.uexp", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, gameLike(r, int(size)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// gameLike is noise and repeats in turns, in pieces of up to 64 bytes.
func gameLike(r *rand.Rand, size int) []byte {
	b := make([]byte, 0, size+64)
	for len(b) < size {
		n := 8 + r.IntN(56)
		if len(b) > 4096 && r.IntN(2) == 0 {
			at := len(b) - 1 - r.IntN(4000)
			b = append(b, b[max(at-n, 0):at]...)
			continue
		}
		for range n {
			b = append(b, byte(r.Uint32()))
		}
	}
	return b[:size]
}

func writePak(path, version string, n int) error {
	o := &codecs.CreateOptions{Version: version, MountPoint: "../../../Game/Content/"}
	ctx := context.Background()
	return codecs.WriteFile(ctx, path, unrealpak.Format(), o, func(w codecs.Writer) error {
		for i := range n {
			name := fmt.Sprintf("Maps/Region%03d/Actors/SM_Building_%06d.uasset", i/500, i)
			var content io.Reader = strings.NewReader(fmt.Sprint("content of ", i))
			if err := w.Add(ctx, &codecs.Entry{Name: name}, content); err != nil {
				return err
			}
		}
		return nil
	})
}
