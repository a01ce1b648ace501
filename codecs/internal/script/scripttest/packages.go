// Package scripttest brings the packages of samples into tests: from files and
// archives, with the bytes of their exports.
package scripttest

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// Package is a package of a sample.
type Package struct {
	Name string // of its file: "BP_GameMode_Base.uasset"
	*pkg.Package

	body *io.SectionReader // of the .uexp
}

// Data returns the bytes of an export.
func (p *Package) Data(export int) ([]byte, error) {
	r, err := p.OpenExport(export, p.body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Facts returns the tables.
func (p *Package) Facts() *unreal.PackageFacts { return &p.PackageFacts }

// Load reads a package from bytes; body is the .uexp, nil when there is none.
func Load(t testing.TB, name string, head, body []byte) *Package {
	t.Helper()
	p, err := pkg.Read(context.Background(), bytes.NewReader(head), int64(len(head)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	pkg := &Package{Name: name, Package: p}
	if body != nil {
		pkg.body = io.NewSectionReader(bytes.NewReader(body), 0, int64(len(body)))
	}
	return pkg
}

// File reads the package in a file, and the .uexp beside it.
func File(t testing.TB, path string) *Package {
	t.Helper()
	head, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var body []byte
	if b, err := os.ReadFile(strings.TrimSuffix(path, filepath.Ext(path)) + ".uexp"); err == nil {
		body = b
	}
	return Load(t, filepath.Base(path), head, body)
}

// All reads the packages among the entries of an archive, in the order of their
// names.
func All(t testing.TB, files map[string][]byte) []*Package {
	t.Helper()
	var list []*Package
	for name, head := range files {
		ext := filepath.Ext(name)
		if ext == ".uasset" || ext == ".umap" {
			list = append(list, Load(t, name, head, files[strings.TrimSuffix(name, ext)+".uexp"]))
		}
	}
	slices.SortFunc(list, func(a, b *Package) int { return strings.Compare(a.Name, b.Name) })
	return list
}
