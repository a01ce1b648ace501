package script_test

import (
	"fmt"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script/scripttest"
	"pakdb/codecs/umod"
)

// TestClassicSamples counts what the samples have, and lists what is opaque.
func TestClassicSamples(t *testing.T) {
	var b strings.Builder
	for _, p := range packages(t) {
		var n, exact, scripts, disk, tokens, calls int
		var opaque []string
		for _, o := range classicDisassemble(t, p) {
			n++
			if o.Err != nil {
				opaque = append(opaque, fmt.Sprintf("  %s %s: %v\n", o.Class, o.Path, o.Err))
				continue
			}
			exact++
			if o.Memory > 0 {
				scripts++
			}
			disk += o.Disk
			tokens += o.Tokens
			calls += len(o.Calls)
		}
		fmt.Fprintf(&b, "%s %d/%d: %d of %d objects exact, %d with a script, %d bytes, %d tokens, %d calls\n", p.Name, p.Version, p.Licensee, exact, n, scripts, disk, tokens, calls)
		b.WriteString(strings.Join(opaque, ""))
	}
	golden(t, "classic_samples.txt", b.String())
}

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
