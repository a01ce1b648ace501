package property_test

import (
	"testing"

	"pakdb/codecs/internal/property"
)

// bench reads all exports of packages with warm decoders, as a scan of a build has
// them for the packages of one worker. Bytes are those of the exports.
func bench(b *testing.B, all []*loaded, base property.Schemas, wanted func(*loaded) bool) {
	var decoders []*property.Decoder
	var packages []*loaded
	size := 0
	for _, p := range all {
		if wanted != nil && !wanted(p) {
			continue
		}
		decoders = append(decoders, property.NewDecoder(p.facts, property.Options{Schemas: base}))
		packages = append(packages, p)
		for _, data := range p.data {
			size += len(data)
		}
	}
	if size == 0 {
		b.Fatal("no packages")
	}
	var o property.Export
	values := 0
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		values = 0
		for k, p := range packages {
			for i, data := range p.data {
				decoders[k].Export(&o, i, data)
				values += len(o.List.Nodes)
			}
		}
	}
	b.ReportMetric(float64(values), "nodes/op")
}

func dense(p *loaded) bool { return p.name == "DA_AllProperties" || p.name == "DT_AllProperties" }

func BenchmarkTagged(b *testing.B)      { bench(b, zenTagged(b), nil, nil) }
func BenchmarkTaggedDense(b *testing.B) { bench(b, zenTagged(b), nil, dense) }
func BenchmarkUnversioned(b *testing.B) { bench(b, zenUnversioned(b), fixtureMappings(b), nil) }
func BenchmarkUnversionedDense(b *testing.B) {
	bench(b, zenUnversioned(b), fixtureMappings(b), dense)
}
