package rows

import (
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
)

// Package is a package whose exports are to be read.
type Package struct {
	*unreal.PackageFacts
	Path    string // in the game, as far as it is known
	Options property.Options
	// Bytes returns those of an export. Of UE4 and UE5 they must stay until the next
	// call; older packages are read in any order, and theirs must not change at all.
	Bytes func(export int) ([]byte, error)

	Coverage property.Coverage // of the exports that were read so far

	troubles troubles
}

// Each calls do with each export; its values are valid until do returns. An export
// whose bytes are damaged is a lost one: see [Package.Problems]. The error is that of do,
// or of the machine.
func (p *Package) Each(do func(d *property.Decoder, i int, x *property.Export) error) error {
	p.Coverage, p.troubles = property.Coverage{}, troubles{}
	if p.Modern() {
		return p.eachNew(do)
	}
	old, err := property.NewClassicDecoder(p.PackageFacts, p.bytes)
	if err != nil {
		return err
	}
	return p.read(property.NewDecoder(p.PackageFacts, p.Options), old.Export, do)
}

// read reads all exports with the reader that is given. d knows the paths of objects.
func (p *Package) read(d *property.Decoder, export func(*property.Export, int, []byte), do func(*property.Decoder, int, *property.Export) error) error {
	var x property.Export
	for i := range p.Exports {
		data, err := p.bytes(i)
		if err != nil {
			return err
		}
		if damage := p.troubles.unread[i]; damage != nil {
			n := max(p.Exports[i].Size, 0)
			x = property.Export{Status: property.Lost, Why: damage, Damage: damage,
				Coverage: property.Coverage{Exports: 1, Lost: 1, Bytes: n, OpaqueBytes: n}}
		} else {
			export(&x, i, data)
		}
		p.Coverage.Add(&x.Coverage)
		if err := do(d, i, &x); err != nil {
			return err
		}
		if n := p.Exports[i].Size; x.Damage != nil && n > int64(len(data)) && len(data) > 0 {
			x.Damage = codecs.Errorf(codecs.ErrLimit, "%d bytes of %d were read: %v", len(data), n, x.Damage)
		}
		part := valuesPart
		if !p.Modern() && script.IsClassic(p.PackageFacts, i) {
			part = codePart
		}
		p.lose(i, part, x.Damage)
	}
	return nil
}

// eachNew reads the exports of a package of UE4 or UE5: first those that declare
// classes, structs and enums, which the values of others may need.
func (p *Package) eachNew(do func(*property.Decoder, int, *property.Export) error) error {
	d := p.decoder()
	return p.read(d, d.Export, do)
}

// decoder returns one for values of UE4 and UE5, which knows what the package declares.
func (p *Package) decoder() *property.Decoder {
	lib := property.NewLibrary()
	if p.Options.Schemas != nil {
		lib = property.NewLibrary(p.Options.Schemas)
	}
	options := p.Options
	options.Schemas = lib
	p.Declares(lib, options)
	return property.NewDecoder(p.PackageFacts, options)
}

// Declares adds the classes, structs and enums of the package to a library, and reports
// whether it has any.
func (p *Package) Declares(lib *property.Library, o property.Options) (found bool) {
	var d *property.Decoder
	var x property.Export
	for i := range p.Exports {
		if class := p.ClassOf(i); !strings.HasSuffix(class, "Class") && !strings.HasSuffix(class, "Struct") && !strings.HasSuffix(class, "Enum") {
			continue
		}
		data, err := p.Bytes(i)
		if err != nil {
			continue // [Package.Each] says so
		}
		if d == nil {
			d = property.NewDecoder(p.PackageFacts, o)
		}
		d.Export(&x, i, data)
		switch {
		case x.Schema != nil:
			lib.Add(x.Schema)
			found = true
		case x.Enum != nil:
			lib.AddEnum(x.Enum)
			found = true
		}
	}
	return found
}
