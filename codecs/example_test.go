package codecs_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"pakdb/codecs"
)

// Any file is an archive of one entry, itself. [codecs.OpenFile] refuses it, for who
// names an archive wants no other file.
func Example() {
	src := codecs.Source{ReaderAt: strings.NewReader("[Core]"), Name: "Game.ini", Size: 6}
	archive, err := codecs.Loose().Open(context.Background(), src, nil)
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range archive.Entries() {
		fmt.Println(e.Name, e.Size, err)
	}
	// Output: Game.ini 6 <nil>
}
