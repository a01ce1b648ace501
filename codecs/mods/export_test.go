package mods

import "pakdb/codecs/internal/property"

// Draft returns the draft of export i.
func (p *Package) Draft(i int) (*property.Draft, error) { return p.draft(i) }

// Decoder returns what reads the values.
func (p *Package) Decoder() *property.Decoder { return p.decoder }

// Reread reads export i as the file has it.
func (p *Package) Reread(i int) *property.Export {
	x := &property.Export{}
	p.decoder.Export(x, i, p.frame.data(i))
	return x
}

// Imports returns the number of imports.
func (p *Package) Imports() int { return len(p.facts.Imports) }

// The parts of [Merging] and [DiffUnit], without archives.
var (
	Merge         = mergeVersions
	MergeFile     = mergeFile
	Diff          = diffVersions
	DiffFile      = diffFile
	IsPrototype   = isPrototype
	OpenPrototype = openPrototype
	OpenTexts     = openTexts
)
