package calligraphy_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"pakdb/codecs"
	"pakdb/codecs/gpak"
	"pakdb/codecs/internal/calligraphy"
)

// What a record defines and refers to.
func ExampleInspector() {
	ctx := context.Background()
	archive, err := codecs.OpenFile(ctx, "../../../testdata/Calligraphy.sip", &codecs.Registry{Formats: []*codecs.Format{gpak.Format()}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	files, err := codecs.FS(ctx, archive)
	if err != nil {
		log.Fatal(err)
	}
	const name = "Calligraphy/Powers/Mobs/Laser.prototype"
	content, err := files.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	facts, err := calligraphy.Inspector().Inspect(ctx, bytes.NewReader(content), int64(len(content)), &codecs.Entry{Name: name})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(facts.Kind, len(facts.Refs), "references")
	// Output: calligraphy-prototype 3 references
}

// The id of a record follows from its path.
func ExampleID() {
	fmt.Printf("%016x\n", calligraphy.ID("Powers/Mobs/Laser.prototype"))
	// Output: c497ff1297d30af9
}
