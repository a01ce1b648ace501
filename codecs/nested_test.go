package codecs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/umod"
	"pakdb/codecs/unrealpak"
)

func item(name string, data []byte) codecstest.Item {
	return codecstest.Item{Entry: &codecs.Entry{Name: name}, Data: data}
}

func makeUmod(t testing.TB, items ...codecstest.Item) []byte {
	return codecstest.Write(t, umod.Format(), nil, items)
}

func makeUz2(t testing.TB, content []byte) []byte {
	return codecstest.Write(t, umod.UzFormat(), nil, []codecstest.Item{item("", content)})
}

// file is a pak in which an installer is compressed, in which a package is
// compressed by itself, beside another installer and what only claims to be one.
func file(t testing.TB) []byte {
	core := bytes.Repeat([]byte("core of the matter "), 5000)
	inner := makeUmod(t, item("Help/Inner.txt", []byte("innermost")))
	mod := makeUmod(t, item("System/Core.u.uz2", makeUz2(t, core)), item("Inner.umod", inner), item("System/Readme.txt", []byte("read me")))
	return codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Method: compress.Zlib}, []codecstest.Item{
		item("Mods/Mod.UMOD", mod),
		item("Mods/not.umod", []byte("this is no installer, whatever its name")),
		item("a.txt", []byte("plain")),
		item("Second.umod", makeUmod(t, item("b.txt", []byte("of the second")))),
	})
}

var wantNames = []string{
	"Mods/Mod.UMOD",
	"Mods/not.umod",
	"a.txt",
	"Second.umod",
	"Mods/Mod.UMOD!/System/Core.u.uz2",
	"Mods/Mod.UMOD!/Inner.umod",
	"Mods/Mod.UMOD!/System/Readme.txt",
	"Mods/Mod.UMOD!/System/Core.u.uz2!/Core.u",
	"Mods/Mod.UMOD!/Inner.umod!/Help/Inner.txt",
	"Second.umod!/b.txt",
}

// wrapped is f with what lies inside its archives.
func wrapped(f *codecs.Format) *codecs.Format {
	w := *f
	w.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
		a, err := f.Open(ctx, src, o)
		if err != nil {
			return nil, err
		}
		return codecs.WrapNested(ctx, a, src.Name, all.Registry(), o), nil
	}
	return &w
}

func openFile(t testing.TB, b []byte) codecs.Archive {
	return codecstest.Open(t, wrapped(unrealpak.Format()), codecstest.Bytes("game.pak", b), nil)
}

func TestEntries(t *testing.T) {
	a := openFile(t, file(t))
	for range 2 { // the second time from what was learned in the first
		var names []string
		for e, err := range a.Entries() {
			if err != nil {
				t.Error(err)
			}
			if e.Ordinal != len(names) || (e.Flags&codecs.Nested != 0) != strings.Contains(e.Name, codecs.NestedSeparator) {
				t.Errorf("%s: ordinal %d, flags %d", e.Name, e.Ordinal, e.Flags)
			}
			names = append(names, e.Name)
		}
		if !slices.Equal(names, wantNames) {
			t.Errorf("entries %q", names)
		}
	}
	got := codecstest.Contents(t, a)
	for name, want := range map[string]string{
		"Mods/Mod.UMOD!/System/Readme.txt":          "read me",
		"Mods/Mod.UMOD!/Inner.umod!/Help/Inner.txt": "innermost",
		"Mods/Mod.UMOD!/System/Core.u.uz2!/Core.u":  strings.Repeat("core of the matter ", 5000),
		"Second.umod!/b.txt":                        "of the second",
		"a.txt":                                     "plain",
	} {
		if string(got[name]) != want {
			t.Errorf("%s: %d bytes", name, len(got[name]))
		}
	}
}

// What the package promises of archives, and what damaged ones must not do.
func TestNestedContract(t *testing.T) {
	codecstest.Contract(t, wrapped(unrealpak.Format()), codecstest.Bytes("game.pak", file(t)), codecstest.ContractOptions{Cuts: 60, Flips: 300})
	mod := makeUmod(t, item("Inner.umod", makeUmod(t, item("a.txt", []byte("text")))), item("b.u.uz2", makeUz2(t, []byte("content of b"))))
	codecstest.Contract(t, wrapped(umod.Format()), codecstest.Bytes("mod.umod", mod), codecstest.ContractOptions{Cuts: 60, Flips: 300})
}

// An entry kept from before is found by an archive that was not listed yet.
func TestOpenWithoutListing(t *testing.T) {
	b := file(t)
	var kept []*codecs.Entry
	for e := range openFile(t, b).Entries() {
		kept = append(kept, e)
	}
	for i := len(kept) - 1; i >= 0; i-- {
		got, err := codecstest.ReadEntry(context.Background(), openFile(t, b), kept[i])
		if err != nil || int64(len(got)) != kept[i].Size {
			t.Errorf("%s: %d bytes, %v", kept[i].Name, len(got), err)
		}
	}
	none := &codecs.Entry{Ordinal: 99, Flags: codecs.Nested}
	if _, err := openFile(t, b).Open(context.Background(), none); !errors.Is(err, codecs.ErrNotFound) {
		t.Errorf("an ordinal beyond all: %v", err)
	}
}

// More archives than stay open, read from several goroutines and out of order;
// raw readers outlive the reuse of what they read from.
func TestManyAtOnce(t *testing.T) {
	var items []codecstest.Item
	for i := range 60 {
		mod := makeUmod(t, item("text", fmt.Appendf(nil, "of %d, %s", i, strings.Repeat("x", i*10))))
		items = append(items, item(fmt.Sprintf("%02d.umod", i), mod))
	}
	b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Method: compress.Zlib}, items)
	a := openFile(t, b)
	var inner []*codecs.Entry
	var raws []*io.SectionReader
	for e := range a.Entries() {
		if e.Flags&codecs.Nested == 0 {
			continue
		}
		inner = append(inner, e)
		raw, err := a.OpenRaw(e)
		if err != nil {
			t.Fatal(err)
		}
		raws = append(raws, raw)
	}
	var wg sync.WaitGroup
	for shift := range 4 {
		wg.Go(func() {
			for k := range inner {
				i := (k*7 + shift*13) % len(inner)
				got, err := codecstest.ReadEntry(context.Background(), a, inner[i])
				if err != nil || !bytes.HasPrefix(got, fmt.Appendf(nil, "of %d,", i)) {
					t.Errorf("%s: %q, %v", inner[i].Name, got, err)
				}
			}
		})
	}
	wg.Wait()
	for i, raw := range raws {
		if got, err := io.ReadAll(raw); err != nil || !bytes.HasPrefix(got, fmt.Appendf(nil, "of %d,", i)) {
			t.Errorf("raw %d: %q, %v", i, got, err)
		}
	}
}

// Errors say where in the file they are, whatever is around it.
func TestErrorsSayWhere(t *testing.T) {
	mod := makeUmod(t, item("a.txt", []byte("text")), item("deep.umod", makeUmod(t, item("b.u.uz2", makeUz2(t, fill(70_000))))))
	b := makeUmod(t, item("x/Mod.umod", mod))
	b[bytes.Index(b, fill(70_000)[40_000:40_100])] ^= 1 // in the second block, stored as it is
	a := codecstest.Open(t, wrapped(umod.Format()), codecstest.Bytes("outer.umod", b), nil)
	var found []string
	report := func(fe *codecs.FormatError) {
		if errors.Is(fe, codecs.ErrChecksum) || errors.Is(fe, codecs.ErrCorrupt) {
			found = append(found, fe.File+" "+fe.Format+" "+fe.Entry+" "+fe.Field)
		}
	}
	if err := a.(codecs.Verifier).Verify(t.Context(), report); err != nil {
		t.Fatal(err)
	}
	for e := range a.Entries() {
		var fe *codecs.FormatError
		if _, err := codecstest.ReadEntry(t.Context(), a, e); errors.As(err, &fe) {
			report(fe)
		}
	}
	want := []string{
		"outer.umod umod  crc",
		"outer.umod umod x/Mod.umod crc",
		"outer.umod umod x/Mod.umod!/deep.umod crc",
		"outer.umod uz2 x/Mod.umod!/deep.umod!/b.u.uz2 blocks[1]",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}

func fill(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

func TestDepthIsBounded(t *testing.T) {
	b := makeUmod(t, item("text", []byte("at the bottom")))
	for range 7 {
		b = makeUmod(t, item("in.umod", b))
	}
	a := codecstest.Open(t, wrapped(umod.Format()), codecstest.Bytes("out.umod", b), nil)
	var last *codecs.Entry
	var problem error
	for e, err := range a.Entries() {
		if e != nil {
			last = e
		} else {
			problem = err
		}
	}
	if !errors.Is(problem, codecs.ErrLimit) || strings.Count(last.Name, codecs.NestedSeparator) != 4 {
		t.Errorf("last %q, %v", last.Name, problem)
	}
}

// A directory of a thousand entries that are all the same installer, in itself
// four times over, would be 10^12 entries.
func TestExplosionIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("opens 10,000 archives")
	}
	b := makeUmod(t, item("text", []byte("bottom")))
	for range 4 {
		b = manyTimes(t, b)
	}
	a := codecstest.Open(t, wrapped(umod.Format()), codecstest.Bytes("out.umod", b), nil)
	n, limit := 0, error(nil)
	for e, err := range a.Entries() {
		if e == nil && errors.Is(err, codecs.ErrLimit) {
			limit = err
		}
		n++
	}
	if limit == nil || n > 5<<20 {
		t.Errorf("%d entries, %v", n, limit)
	}
}

// manyTimes is an installer whose directory lists one entry a thousand times.
func manyTimes(t testing.TB, content []byte) []byte {
	one := makeUmod(t, item("in.umod", content))
	at := len(content) // directory
	line := one[at+1 : len(one)-20]
	out := append([]byte(nil), content...)
	out = append(out, 0x40|1000&0x3F, 1000>>6) // compact index
	for range 1000 {
		out = append(out, line...)
	}
	trailer := append([]byte(nil), one[len(one)-20:]...)
	size := len(out) + 20
	trailer[8], trailer[9], trailer[10], trailer[11] = byte(size), byte(size>>8), byte(size>>16), byte(size>>24)
	return append(out, trailer...)
}

// Abilities of the outer archive stay in reach.
func TestAbilities(t *testing.T) {
	a := openFile(t, file(t))
	sums, ok := codecs.ArchiveAs[codecs.Summer](a)
	if !ok {
		t.Fatal("a pak has sums")
	}
	if s, err := sums.Sums(t.Context()); err != nil || len(s) != 4 {
		t.Errorf("%d sums, %v", len(s), err)
	}
	if _, ok := codecs.ArchiveAs[codecs.Namer](a); ok {
		t.Error("a pak has no named resources")
	}
}
