package mods_test

import (
	"context"
	"fmt"
	"testing"

	"pakdb/codecs/internal/property"
)

// Ten numbers in each package of the samples: reading, changing and writing it.
func BenchmarkEdits(b *testing.B) {
	type work struct {
		s     *sample
		edits [][2]string // object, field
	}
	var all []work
	for _, s := range samples(b) {
		p := s.open(b)
		if p == nil {
			continue
		}
		w := work{s: &s}
		for i := range p.Objects() {
			d, err := p.Draft(i)
			if err != nil {
				continue
			}
			for path, at := range p.Decoder().Walk(d.List()) {
				k := d.List().Nodes[at].Kind
				if len(w.edits) < 10 && (k == property.Float || k == property.Int || k == property.Bool) && d.List().Nodes[at].Flags&property.Zero == 0 {
					if target, err := d.Find(string(path)); err == nil && d.Set(target, "1") == nil {
						w.edits = append(w.edits, [2]string{fmt.Sprint("#", i), string(path)})
					}
				}
			}
		}
		if len(w.edits) > 0 {
			all = append(all, w)
		}
	}
	edits, packages := 0, 0
	for b.Loop() {
		for _, w := range all {
			p := w.s.open(b)
			for _, e := range w.edits {
				if err := p.Set(e[0], e[1], "1"); err != nil {
					b.Fatal(err)
				}
				edits++
			}
			if _, _, err := p.Files(context.Background()); err != nil {
				b.Fatal(err)
			}
			packages++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(edits), "µs/edit")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(packages), "µs/package")
}
