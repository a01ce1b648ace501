package all_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal"
	"pakdb/internal/family"
	"pakdb/internal/testkit"
)

// asset is a content of the samples, and the one beside it that has its exports.
type asset struct {
	entry         codecs.Entry
	content, body []byte
}

// assets returns all contents of the samples that are not large, loose or in archives.
func assets(t *testing.T, registry *codecs.Registry, folders ...string) (list []asset) {
	t.Helper()
	const most = 300 << 10
	seen := map[string]bool{}
	byName := map[string][]byte{}
	add := func(folder string, e codecs.Entry, content []byte) {
		e.Name = filepath.Join(folder, e.Name)
		if byName[e.Name] = content; len(content) > 0 && !seen[string(content)] {
			seen[string(content)] = true
			list = append(list, asset{entry: e, content: content})
		}
	}
	for _, folder := range folders {
		err := filepath.WalkDir(codecstest.Sample(t, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			src := codecstest.OpenFile(t, path)
			a, f, err := registry.Open(t.Context(), src, &codecs.Options{})
			if err != nil {
				return nil
			}
			defer func() { _ = a.Close() }()
			if f.Fallback() {
				if content, err := os.ReadFile(path); err == nil && len(content) < most {
					add("", codecs.Entry{Name: path, Size: int64(len(content))}, content)
				}
				return nil
			}
			for e, err := range a.Entries() {
				if err != nil || e.Size > most {
					continue
				}
				r, err := a.Open(t.Context(), e)
				if err != nil {
					continue
				}
				if content, err := io.ReadAll(r); err == nil {
					add(path, *e, content)
				}
				_ = r.Close()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range list {
		name := list[i].entry.Name
		stem := strings.TrimSuffix(name, filepath.Ext(name))
		list[i].body = byName[stem+".uexp"]
	}
	return list
}

// found is what inspectors and the reader of values say of an asset: rows by table, and problems.
type found struct {
	rows     map[string]int
	problems int
	unknown  int64 // objects whose class nobody describes
}

func (f *found) add(b *family.Batch) {
	if b == nil {
		return
	}
	for _, r := range b.Rows {
		switch table := r.Layout().Table; table {
		case "x_value_problem":
			f.problems += r.Len()
		case "x_content_count", "x_text_block", "x_config_line": // any text is one
		default:
			f.rows[table] += r.Len()
		}
	}
}

func read(registry *codecs.Registry, x *asset, classes codecs.Classes, program any) (f found, facts *codecs.Facts) {
	ctx := context.Background()
	f.rows = map[string]int{}
	e := &x.entry
	in := registry.Inspector(e, x.content[:min(len(x.content), codecs.HeadSize)])
	if in == nil {
		return f, nil
	}
	facts, err := in.Inspect(ctx, bytes.NewReader(x.content), e.Size, e)
	if err != nil || facts == nil {
		f.problems++
		return f, nil
	}
	if in.Dictionary != nil {
		facts = in.Dictionary.Resolve(facts, program)
	}
	f.problems += len(facts.Problems)
	if facts.Detail != nil {
		f.add(facts.Detail.Batch())
	}
	if !registry.Values.Takes(facts) {
		return f, facts
	}
	content, base, size := io.ReaderAt(bytes.NewReader(x.content)), int64(0), e.Size
	switch {
	case facts.Body != nil:
		if _, err := facts.Body(ctx, bytes.NewReader(x.body), int64(len(x.body))); err != nil {
			f.problems++
			return f, facts
		}
		content, base, size = bytes.NewReader(x.body), facts.Base, int64(len(x.body))
	case facts.Decoded != nil:
		content, size = facts.Decoded, facts.DecodedSize
	}
	v, err := registry.Values.Read(ctx, facts, content, base, size, &codecs.ValueOptions{Classes: classes})
	if err != nil {
		f.problems++
		return f, facts
	}
	f.add(v.Rows)
	f.unknown = v.Missing
	return f, facts
}

// otherPackage reports packages that differ in their names, or in the classes of objects:
// nobody can tell that they were others.
func otherPackage(a, b *codecs.Facts) bool {
	old, ok := a.Detail.(*unreal.PackageFacts)
	changed, too := b.Detail.(*unreal.PackageFacts)
	if !ok || !too || len(old.Exports) != len(changed.Exports) {
		return false
	}
	for i := range old.Exports {
		if old.ClassOf(i) != changed.ClassOf(i) {
			return true
		}
	}
	return !slices.Equal(old.Names, changed.Names)
}

// TestDamageIsAProblem: where a byte of a content differs, fewer rows never come without a
// problem.
func TestDamageIsAProblem(t *testing.T) {
	registry := all.Registry()
	data, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "CUE4ParseFixtures-Zstandard.usmap"))
	if err != nil {
		t.Fatal(err)
	}
	mappings, err := registry.Values.Mappings("", data)
	if err != nil {
		t.Fatal(err)
	}
	classes, program := registry.Values.Classes([]*codecs.Mappings{mappings}), mappings.Names()
	random := rand.New(rand.NewPCG(1, 2))
	flips := testkit.Of(2, 8)
	if testing.Short() {
		flips = 2
	}
	contents, lost, silent := map[string]int{}, 0, 0
	for _, x := range assets(t, registry, "unreal-package", "unreal-properties", "unreal-script", "unreal-media", "unreal-writing", "unreal-pak", "iostore", "retro-pak") {
		before, facts := read(registry, &x, classes, program)
		if facts == nil || before.problems+int(before.unknown) > 0 {
			continue
		}
		contents[facts.Kind]++
		for range flips {
			damaged := x
			damaged.content, damaged.body = bytes.Clone(x.content), bytes.Clone(x.body)
			into := damaged.content
			if len(damaged.body) > 0 && random.IntN(2) == 0 {
				into = damaged.body
			}
			at := random.IntN(len(into))
			old := into[at]
			into[at] = byte(random.IntN(256))
			if random.IntN(2) == 0 {
				into[at] = old ^ 1<<random.IntN(8)
			}
			after, others := read(registry, &damaged, classes, program)
			if others != nil && len(others.Problems) == 0 && otherPackage(facts, others) {
				continue // as another package has
			}
			fewer := ""
			for table, n := range before.rows {
				if after.rows[table] < n {
					fewer += fmt.Sprintf(" %s %d<%d", table, after.rows[table], n)
				}
			}
			if fewer == "" {
				continue
			}
			if lost++; after.problems == 0 {
				silent++
				t.Logf("%s: byte %#x from %02x to %02x:%s", filepath.Base(x.entry.Name), at, old, into[at], fewer)
			}
		}
	}
	t.Logf("%d of %d losses without a problem; contents: %v", silent, lost, contents)
	if lost == 0 || silent > 1+lost/100 { // some bytes make another content that is as sound
		t.Errorf("%d of %d losses came without a problem", silent, lost)
	}
}
