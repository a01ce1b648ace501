package pkg_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/testkit"
)

// file is a package of the samples.
type file struct {
	name        string
	asset, uexp []byte
}

// packages yields the packages of UE4 and UE5 in the samples, loose and in paks.
func packages(t testing.TB) (all []file) {
	t.Helper()
	root := codecstest.Sample(t, "unreal-package")
	files := map[string][]byte{}
	err := filepath.WalkDir(filepath.Dir(root), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch filepath.Ext(name) {
		case ".uasset", ".umap", ".uexp":
			files[name], err = os.ReadFile(name)
		case ".pak":
			if strings.Contains(name, "unreal-pak/pairs") || strings.Contains(name, "Legacy-") && strings.HasSuffix(name, "-Zlib.pak") {
				src := codecstest.OpenFile(t, name)
				for _, it := range codecstest.Items(t, codecstest.Open(t, unrealpak.Format(), src, nil)) {
					files[name+"/"+it.Entry.Name] = it.Data
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if ext := path.Ext(name); (ext == ".uasset" || ext == ".umap") && bytes.HasPrefix(data, []byte{0xC1, 0x83, 0x2A, 0x9E}) {
			all = append(all, file{name, data, files[strings.TrimSuffix(name, ext)+".uexp"]})
		}
	}
	return all
}

// A package that nothing is changed of comes back equal; one that gets a name, an import
// and longer exports has these and nothing else, which Rewrite itself reads back.
func TestRewrite(t *testing.T) {
	refused := map[string]int{}
	same, edited := 0, 0
	for i, f := range packages(t) {
		if i%testkit.Of(3, 1) != 0 {
			continue
		}
		p := mustRead(t, f.asset)
		ctx := context.Background()
		if err := p.Writable(); err != nil {
			if !errors.Is(err, unreal.ErrNoWriting) {
				t.Errorf("%s: %v", f.name, err)
			}
			refused[err.Error()]++
			continue
		}
		asset, uexp, err := p.Rewrite(ctx, f.asset, f.uexp, &pkg.Changes{})
		if err != nil || !bytes.Equal(asset, f.asset) || !bytes.Equal(uexp, f.uexp) {
			t.Errorf("%s: another package, %v", f.name, err)
			continue
		}
		same++
		first, last := data(f, p, 0), data(f, p, len(p.Exports)-1)
		c := &pkg.Changes{
			Names:   []string{"PakdbÄ", "PakdbNew"},
			Imports: []unreal.PackageImport{{ClassPackage: p.Exports[0].Name, Class: unreal.ObjectName{Index: int32(len(p.Names))}, Name: unreal.ObjectName{Index: int32(len(p.Names) + 1), Number: 3}}},
			Exports: map[int]pkg.ExportChange{0: {Data: append(first[:len(first):len(first)], "twelve bytes"...), Grown: 12}},
		}
		if len(p.Exports) > 1 && len(last) > 4 {
			c.Exports[len(p.Exports)-1] = pkg.ExportChange{Data: last[:len(last)-4], Grown: -4}
		}
		if p.ImportCount == 0 {
			c.Imports = nil
		}
		// A root import that is no Package would be found fault with.
		if len(c.Imports) > 0 {
			c.Imports[0].Outer = -1
		}
		if len(p.SoftObjects) > 0 {
			c.Soft = []pkg.SoftEntry{{Package: p.Exports[0].Name, Asset: p.Exports[0].Name, Sub: "Sub"}}
		}
		asset, uexp, err = p.Rewrite(ctx, f.asset, f.uexp, c)
		if errors.Is(err, unreal.ErrInside) {
			refused[path.Base(f.name)+": bulk data inside"]++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		edited++
		// Back again: the same bytes but for what the tables got.
		q := mustRead(t, asset)
		back := &pkg.Changes{Exports: map[int]pkg.ExportChange{0: {Data: first, Grown: -12}}}
		if _, ok := c.Exports[len(p.Exports)-1]; ok && len(p.Exports) > 1 {
			back.Exports[len(p.Exports)-1] = pkg.ExportChange{Data: last, Grown: 4}
		}
		asset, uexp, err = q.Rewrite(ctx, asset, uexp, back)
		if err != nil {
			t.Errorf("%s: back: %v", f.name, err)
			continue
		}
		if p.Split && !bytes.Equal(uexp, f.uexp) || !p.Split && !bytes.HasSuffix(asset, f.asset[p.HeaderSize:]) {
			t.Errorf("%s: other data after going back", f.name)
		}
	}
	if same == 0 || edited < same*9/10 {
		t.Errorf("only %d equal and %d edited", same, edited)
	}
	t.Logf("equal %d, edited %d, refused %v", same, edited, refused)
}

// An export that is copied is there a second time, under another name, with what it waits for.
func TestCopyExports(t *testing.T) {
	copied, inside := 0, 0
	for i, f := range packages(t) {
		if i%testkit.Of(3, 1) != 0 {
			continue
		}
		p := mustRead(t, f.asset)
		if p.Writable() != nil {
			continue
		}
		c := &pkg.Changes{Names: []string{"PakdbCopy"}}
		for k, of := range []int{0, len(p.Exports) - 1} {
			c.Copies = append(c.Copies, pkg.ExportCopy{Of: of, Name: unreal.ObjectName{Index: int32(len(p.Names)), Number: int32(k)}})
		}
		first := data(f, p, 0)
		c.Exports = map[int]pkg.ExportChange{0: {Data: append(first[:len(first):len(first)], "twelve bytes"...), Grown: 12}}
		asset, uexp, err := p.Rewrite(context.Background(), f.asset, f.uexp, c)
		if errors.Is(err, unreal.ErrInside) {
			inside++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		copied++
		q := mustRead(t, asset)
		n := len(p.Exports)
		if !bytes.Equal(data(file{f.name, asset, uexp}, q, n), first) || q.NameOf(q.Exports[n+1].Name) != "PakdbCopy_0" {
			t.Errorf("%s: other copies", f.name)
		}
		if g := q.Generations[len(q.Generations)-1]; len(p.Generations) > 0 && int(g.Exports) != n+2 && int(p.Generations[len(p.Generations)-1].Exports) == n {
			t.Errorf("%s: generation of %d exports", f.name, g.Exports)
		}
	}
	if copied < 50 {
		t.Error("few copies")
	}
	t.Logf("%d packages with copies, %d refused for bulk data", copied, inside)
}

func data(f file, p *pkg.Package, i int) []byte {
	x := p.Exports[i]
	if p.Split {
		return f.uexp[x.Offset-p.HeaderSize:][:x.Size]
	}
	return f.asset[x.Offset:][:x.Size]
}

// The hashes of names are those that the engine wrote.
func TestNameHashes(t *testing.T) {
	right, zero, wrong := 0, 0, 0
	for _, f := range packages(t) {
		p := mustRead(t, f.asset)
		if p.Summary.Names.Count == 0 || !pkg.HashedNames(p) {
			continue
		}
		at := p.Summary.Names.Offset
		for _, n := range p.Names {
			entry := pkg.NameEntry(p, n.Text)
			if at+int64(len(entry)) > int64(len(f.asset)) {
				break
			}
			got := f.asset[at : at+int64(len(entry))]
			at += int64(len(entry))
			switch {
			case bytes.Equal(got, entry):
				right++
			case bytes.HasSuffix(got, []byte{0, 0, 0, 0}):
				zero++
			default:
				wrong++
			}
		}
	}
	// Tools write zeros; one mod of the samples has names that were exchanged.
	if right < 1000 || wrong > right/1000 {
		t.Errorf("%d right, %d zero, %d wrong", right, zero, wrong)
	}
}
