package gpak_test

import (
	"context"
	"fmt"
	"log"

	"pakdb/codecs"
	"pakdb/codecs/gpak"
)

// A .sip is one of three kinds; the bytes tell.
func Example() {
	ctx := context.Background()
	registry := &codecs.Registry{Formats: []*codecs.Format{gpak.Format()}}
	for _, name := range []string{"Calligraphy.sip", "mu_cdata_1.5.sip", "mu_cdata_1.6.sip"} {
		archive, err := codecs.OpenFile(ctx, "../../testdata/"+name, registry, nil)
		if err != nil {
			log.Fatal(err)
		}
		files, err := codecs.FS(ctx, archive)
		if err != nil {
			log.Fatal(err)
		}
		curve, err := files.Stat("Calligraphy/Powers/Curves/DamageByRank.curve")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, archive.Info().Version, curve.Size())
		if err := archive.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// Calligraphy.sip KAPG 1 172
	// mu_cdata_1.5.sip SQLite 1.5 172
	// mu_cdata_1.6.sip SQLite 1.6 172
}

// The hash by which a KAPG finds an entry.
func ExampleHash() {
	fmt.Printf("%016x\n", gpak.Hash("Calligraphy/Curve.directory"))
	// Output: 71300df7973b0ae7
}
