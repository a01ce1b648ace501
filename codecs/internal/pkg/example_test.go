package pkg_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
)

// What a package of textures refers to.
func ExampleInspector() {
	made := codecstest.Package{
		Imports: []string{"Engine.Texture"},
		Exports: []codecstest.Export{{Name: "Brick", Class: "Engine.Texture", Data: "pixels"}},
	}.Bytes()
	entry := &codecs.Entry{Name: "Textures/Walls.utx"}
	facts, err := pkg.Inspector().Inspect(context.Background(), bytes.NewReader(made), int64(len(made)), entry)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(facts.Kind)
	for _, r := range facts.Refs {
		fmt.Println(r.Kind, r.Name)
	}
	// Output:
	// unreal-package
	// import Engine
	// class Engine
}
