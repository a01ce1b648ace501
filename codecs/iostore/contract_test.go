package iostore_test

import (
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
)

func TestContractOfSamples(t *testing.T) {
	for _, path := range samples(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src := codecstest.OpenFile(t, path)
			cuts, flips := 6, 12
			if testing.Short() {
				cuts, flips = -1, -1
			}
			codecstest.Contract(t, iostore.Format(), src, codecstest.ContractOptions{Cuts: cuts, Flips: flips, MaxRead: 60})
			codecstest.ByteCoverage(t, iostore.Format(), src, nil)
		})
	}
}

// The .utoc and the .ucas are each damaged while the other one is whole.
func TestContract(t *testing.T) {
	for name, o := range map[string]codecs.CreateOptions{
		"plain":     {},
		"zlib":      {Method: compress.Zlib, Version: "5"},
		"encrypted": {Method: compress.LZ4, Encrypt: true, Keys: keys},
	} {
		t.Run(name, func(t *testing.T) {
			p := build(t, o, assorted())
			opt := codecstest.ContractOptions{Open: &codecs.Options{Keys: keys}}
			src := p.source("Game")
			codecstest.Contract(t, iostore.Format(), src, opt)
			codecstest.ByteCoverage(t, iostore.Format(), src, opt.Open)
			data := codecstest.Bytes("Game.ucas", p[".ucas"].Bytes())
			codecstest.Contract(t, dataFormat(p[""].Bytes()), data, opt)
			codecstest.ByteCoverage(t, dataFormat(p[""].Bytes()), data, opt.Open, padding(t, p)...)
		})
	}
}

// padding are the bytes behind blocks, which may hold anything.
func padding(t *testing.T, p pair) (gaps []codecstest.Range) {
	for e, err := range p.open(t, &codecs.Options{Keys: keys}).Entries() {
		if err != nil {
			t.Fatal(err)
		}
		blocks := e.Blocks
		if blocks == nil {
			blocks = []codecs.Block{{Offset: e.Offset, Stored: e.Stored}}
		}
		for _, b := range blocks {
			if end := b.Offset + b.Stored; end%16 != 0 {
				gaps = append(gaps, codecstest.Range{Off: end, Len: 16 - end%16})
			}
		}
	}
	return gaps
}
