package unrealpak_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
)

// chromium writes a .pak of a browser.
func chromium(version int, aliases int, resources ...string) []byte {
	b := u32(nil, version)
	if version == 4 {
		b = append(u32(b, len(resources)), 1)
	} else {
		b = le.AppendUint16(u32(b, 1), uint16(len(resources)))
		b = le.AppendUint16(b, uint16(aliases))
	}
	at := len(b) + 6*(len(resources)+1) + 4*aliases
	for i, r := range resources {
		b = u32(le.AppendUint16(b, uint16(100+3*i)), at)
		at += len(r)
	}
	b = u32(le.AppendUint16(b, 0), at)
	for i := range aliases {
		b = le.AppendUint16(le.AppendUint16(b, uint16(101+3*i)), uint16(i))
	}
	for _, r := range resources {
		b = append(b, r...)
	}
	return b
}

func explained(name string, b []byte) error {
	if fe := unrealpak.Explain(codecstest.Bytes(name, b)); fe != nil {
		return fe
	}
	return nil
}

// The resources of a browser are no Unreal pak that something is wrong with.
func TestChromium(t *testing.T) {
	for name, b := range map[string][]byte{
		"version 4":              chromium(4, 0, "one", "", "three"),
		"version 5":              chromium(5, 0, "one", "", "three"),
		"version 5 with aliases": chromium(5, 2, "one", "two", "three"),
		"a locale with nothing":  chromium(5, 0),
		"version 4 with nothing": chromium(4, 0),
		"a zero id":              codecstest.Patch(chromium(5, 0, "one"), 12, 0, 0),
		"large":                  chromium(5, 0, string(make([]byte, 100_000)), "x"),
	} {
		if err := explained("resources.pak", b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f, err := (&codecs.Registry{Formats: []*codecs.Format{unrealpak.Format()}}).Detect(codecstest.Bytes("resources.pak", b))
		if err == nil {
			t.Errorf("%s is a %s", name, f.Name)
		}
	}
}

// What only starts like one is a problem still.
func TestNotChromium(t *testing.T) {
	good, aliased := chromium(5, 0, "one", "two"), chromium(5, 2, "one", "two")
	for name, b := range map[string][]byte{
		"cut short":              good[:len(good)-1],
		"cut in the table":       good[:20],
		"cut in the head":        good[:10],
		"longer":                 append(bytes.Clone(good), 0),
		"version 3":              codecstest.Patch(good, 0, 3),
		"an encoding of no kind": codecstest.Patch(good, 4, 3),
		"a pad that is none":     codecstest.Patch(good, 6, 1),
		"more resources":         codecstest.Patch(good, 8, 3),
		"more aliases":           codecstest.Patch(good, 10, 1),
		"ids that do not rise":   codecstest.Patch(good, 18, 100),
		"a gap":                  codecstest.Patch(good, 14, 31),
		"offsets that fall":      codecstest.Patch(good, 20, 29),
		"an alias of nothing":    codecstest.Patch(aliased, 12+18+2, 2),
		"aliases do not rise":    codecstest.Patch(aliased, 12+18+4, 101),
		"version 4, huge":        u32(u32(nil, 4), -1, 0, 0),
		"zeros":                  append(u32(nil, 5), make([]byte, 60)...),
	} {
		if explained("resources.pak", b) == nil {
			t.Errorf("%s: no problem", name)
		}
	}
}

// An Unreal pak that was cut short is a problem wherever it was cut: it is not
// recognised and that is explained, or it does not open. One that lost nothing but
// names of methods that it does not use has all its entries.
func TestTruncatedIsAProblem(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	for _, version := range unrealpak.Format().Versions {
		items := []codecstest.Item{named("a.txt", chromium(5, 0, "one", "two")), named("b.bin", noise(rnd, 300))}
		b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Version: version}, items)
		for n := range len(b) {
			src := codecstest.Bytes("Game.pak", b[:n])
			match, err := unrealpak.Format().Probe(src)
			if err != nil {
				t.Fatal(err)
			}
			var a codecs.Archive
			if match == codecs.NoMatch {
				err = explained("Game.pak", b[:n])
			} else {
				a, err = unrealpak.Format().Open(context.Background(), src, nil)
			}
			if err == nil && (a == nil || !damaged(a) && codecstest.Equal(items, codecstest.Items(t, a)) != "") {
				t.Errorf("version %s cut to %d of %d bytes: match %v, no problem", version, n, len(b), match)
			}
		}
	}
}

// damaged reports whether the tables of a have a problem.
func damaged(a codecs.Archive) bool {
	for _, err := range a.Entries() {
		if err != nil {
			return true
		}
	}
	return false
}

func FuzzExplain(f *testing.F) {
	f.Add(chromium(4, 0, "one", "two"))
	f.Add(chromium(5, 2, "one", "two"))
	f.Add(chromium(5, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := explained("a.pak", b); err == nil || err.Error() != "" {
			return
		}
		t.Error("a problem without words")
	})
}
