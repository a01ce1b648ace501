package mods_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
)

// Changes one number of a blueprint. The package has no tags, so that the mappings of the
// game are needed.
func Example() {
	asset, err := os.ReadFile("BP_Rifle.uasset")
	if err != nil {
		log.Fatal(err)
	}
	uexp, err := os.ReadFile("BP_Rifle.uexp")
	if err != nil {
		log.Fatal(err)
	}
	mappings, err := property.OpenUsmap("Game.usmap")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p, err := mods.Open(ctx, asset, uexp, mods.Options{Name: "/Game/Weapons/BP_Rifle", Schemas: mappings.Library()})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Set("Default__BP_Rifle_C", "Damage", "28.8"); err != nil {
		log.Fatal(err) // no such field, with the nearest names; a wrong type; out of range
	}
	for _, c := range p.Changes() {
		fmt.Printf("%s.%s: %s -> %s\n", c.Object, c.Field, c.Old, c.New)
	}
	asset, uexp, err = p.Files(ctx) // read back and compared
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(asset), len(uexp))
}

// Adds a row to a table of weapons, as a copy of another.
func ExamplePackage_Copy() {
	asset, err := os.ReadFile("DT_Weapons.uasset")
	if err != nil {
		log.Fatal(err)
	}
	p, err := mods.Open(context.Background(), asset, nil, mods.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Copy("DT_Weapons", "Rows[Rifle]", "Carbine"); err != nil {
		log.Fatal(err)
	}
	if err := p.Set("DT_Weapons", "Rows[Carbine].Cost", "300"); err != nil {
		log.Fatal(err)
	}
}

// One list of edits changes packages and files of texts.
func ExampleOpenText() {
	settings, err := mods.OpenText("Game.ini", []byte("; comments stay\n[Rifle]\nDamage=24\n"), nil, false)
	if err != nil {
		log.Fatal(err)
	}
	edits := []mods.Edit{{Field: "Rifle[Damage]", Op: mods.Multiply, Value: "1.2"}}
	mods.Ordered(edits)
	for _, e := range edits {
		if err := settings.Apply(e); err != nil {
			log.Fatal(err)
		}
	}
	content, _, err := settings.Files(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", content)
	// Output:
	// ; comments stay
	// [Rifle]
	// Damage=28.8
}

// Values are exported as JSON, edited, and imported.
func ExamplePackage_JSONEdits() {
	asset, err := os.ReadFile("BP_Rifle.uasset")
	if err != nil {
		log.Fatal(err)
	}
	p, err := mods.Open(context.Background(), asset, nil, mods.Options{})
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile("BP_Rifle.json") // of pakdb extract --as json
	if err != nil {
		log.Fatal(err)
	}
	edits, err := p.JSONEdits(text)
	if err != nil {
		log.Fatal(err) // a difference that no edit makes
	}
	mods.Ordered(edits)
	for _, e := range edits {
		if err := p.Apply(e); err != nil {
			log.Fatal(err)
		}
	}
}
