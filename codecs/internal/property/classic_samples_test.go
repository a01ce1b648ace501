package property_test

import (
	"fmt"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/script/scripttest"
	"pakdb/codecs/umod"
)

// packages returns all samples of UE1 to UE3.
func packages(t testing.TB) (list []*scripttest.Package) {
	t.Helper()
	for _, name := range []string{"TestUC1.u", "TestUC2.u", "TestUC3.u", "HeadExplo_v120_28.u", "ServerAdverts_v512.u", "Rx_Mutator_InfiniteAmmo_v868.u",
		"GUI_v859.upk", "compressed/PlotManagerMap.u", "compressed/BioD_PrsCvA.pcc"} {
		list = append(list, sample(t, name))
	}
	a := codecstest.Open(t, umod.Format(), codecstest.OpenFile(t, codecstest.Sample(t, "unreal-package", "DropStuff.umod")), &codecs.Options{})
	for name, b := range codecstest.Contents(t, a) {
		if strings.HasSuffix(name, ".u") {
			list = append(list, scripttest.Load(t, "DropStuff.u", b, nil))
		}
	}
	return list
}

// TestClassicSamples counts what was read of all samples, and lists what is opaque.
func TestClassicSamples(t *testing.T) {
	var b strings.Builder
	for _, p := range packages(t) {
		d := decoder(t, p)
		var sum property.Coverage
		var lost []string
		for i := range p.Exports {
			if p.Exports[i].Size == 0 {
				continue
			}
			data, err := p.Data(i)
			if err != nil {
				t.Fatal(err)
			}
			var x property.Export
			d.Export(&x, i, data)
			sum.Add(&x.Coverage)
			if x.Status == property.Lost {
				lost = append(lost, fmt.Sprintf("  lost: %s %s: %v\n", p.ClassOf(i), p.NameOf(p.Exports[i].Name), x.Why))
			}
			for k, n := range x.List.Nodes {
				if n.Kind == property.Opaque {
					lost = append(lost, fmt.Sprintf("  opaque: %s of %s %s: %s\n", n.Name, p.ClassOf(i), p.NameOf(p.Exports[i].Name), n.Text))
				}
				if int(n.Next) <= k {
					t.Fatalf("%s: node %d of %s has no end", p.Name, k, p.NameOf(p.Exports[i].Name))
				}
			}
		}
		fmt.Fprintf(&b, "%s %d/%d: %d exports, %d exact, %d with a tail, %d lost; %d values, %d opaque, %d guessed\n", p.Name, p.Version, p.Licensee,
			sum.Exports, sum.Exact, sum.Tailed, sum.Lost, sum.Values, sum.Opaque, sum.Guessed)
		b.WriteString(strings.Join(lost[:min(len(lost), 8)], ""))
	}
	golden(t, "classic_samples.txt", b.String())
}
