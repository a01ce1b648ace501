package indexer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal/rows"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// TestDamagedScripts: functions with damaged bytes are recorded as exact or with the
// reason why they are opaque, and each has calls only when it is exact.
func TestDamagedScripts(t *testing.T) {
	n := testkit.Of(60, 450)
	rnd := rand.New(rand.NewPCG(17, 1))
	dir := t.TempDir()
	for _, name := range []string{"unreal-package/uasset-rs/UE56/SimpleRefsRoot.uasset", "unreal-package/TestUC1.u", "unreal-package/TestUC2.u"} {
		path := codecstest.Sample(t, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := openPackage(t, whole)
		code, err := rows.ReadScript(p.PackageFacts, func(i int) ([]byte, error) {
			return whole[p.Exports[i].Offset:][:p.Exports[i].Size], nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n / 3 {
			b := bytes.Clone(whole)
			for range 1 + rnd.IntN(4) {
				x := &p.Exports[code.Functions[rnd.IntN(len(code.Functions))].Export]
				b[x.Offset+rnd.Int64N(x.Size)] = byte(rnd.Uint32())
			}
			write(t, filepath.Join(dir, fmt.Sprintf("%05d_%s", i, filepath.Base(path))), b)
		}
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	c.want("SELECT cause FROM problems WHERE cause LIKE '%internal error%' OR cause LIKE '%panic%'")
	c.want("SELECT count(*) FROM functions WHERE (hash IS NULL) = (opaque IS NULL)", "0")
	c.want("SELECT count(*) > 0 FROM functions WHERE opaque IS NOT NULL", "1")
	c.want("SELECT count(*) > 0 FROM functions WHERE hash IS NOT NULL", "1")
	c.want("SELECT count(*) FROM x_script v JOIN x_script_use u ON u.set_id = v.set_id AND u.export = v.ordinal WHERE v.hash IS NULL", "0")
}

func openPackage(t *testing.T, content []byte) *rows.Package {
	t.Helper()
	l, err := rows.NewLibrary("", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := l.Open(t.Context(), &rows.Source{Content: bytes.NewReader(content), Size: int64(len(content))})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
