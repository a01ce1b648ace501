package all_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log"

	"pakdb/codecs"
	"pakdb/codecs/all"
)

// An archive of any format is opened, and one entry read.
func ExampleOpenFile() {
	ctx := context.Background()
	archive, err := all.OpenFile(ctx, "../../testdata/Calligraphy.sip", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	fmt.Println(archive.Format.Name, archive.Info().Version)
	for e, err := range archive.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		if e.Name != "Calligraphy/Curve.directory" {
			continue
		}
		r, err := archive.Open(ctx, e)
		if err != nil {
			log.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r) // err is nil only if the content is as the archive states
		fmt.Println(e.Ordinal, e.Name, n, err, r.Close())
	}
	// Output:
	// gpak KAPG 1
	// 18 Calligraphy/Curve.directory 216 <nil> <nil>
}

// All that works with io/fs works with archives.
func Example_fs() {
	ctx := context.Background()
	archive, err := all.OpenFile(ctx, "../../testdata/Calligraphy.sip", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	files, err := codecs.FS(ctx, archive)
	if err != nil {
		log.Fatal(err)
	}
	curves, err := fs.Glob(files, "Calligraphy/Powers/Curves/*")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range curves {
		st, err := files.Stat(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, st.Size(), "bytes, entry", st.Sys().(*codecs.Entry).Ordinal)
	}
	// Output:
	// Calligraphy/Powers/Curves/CooldownByRank.curve 52 bytes, entry 3
	// Calligraphy/Powers/Curves/DamageByRank.curve 172 bytes, entry 29
}
