package textfile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/textfile"
	"pakdb/codecs/unreal"
)

const (
	magicRes  = "\x0e\x14\x74\x75\x67\x4a\x03\xfc\x4a\x15\x90\x9d\xc3\x37\x7f\x1b"
	magicMeta = "\x4f\xee\x4c\xa1\x68\x48\x55\x83\x6c\x4c\x46\xbd\x70\xda\x50\x7c"
)

// localized is what a test writes and reads: namespace, key, text.
type localized struct{ namespace, key, text string }

var texts = []localized{
	{"", "4B01", "Ja"}, {"ST_UI", "Quit", "Beenden"}, {"ST_UI", "Back", "Zurück 🚀"}, {"ST_UI", "Empty", ""}, {"ST_UI", "Again", "Beenden"},
}

// write returns a .locres of a version. The source hash of the n-th text is n.
func write(version int, all []localized) []byte {
	var b, strs []byte
	u32 := func(v int) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	str := func(s string) { b = unreal.AppendFString(b, s) }
	if version >= 1 {
		b = append(b, magicRes...)
		b = append(b, byte(version))
		b = append(b, make([]byte, 8)...)
	}
	if version >= 2 {
		u32(len(all))
	}
	var names []string
	by := map[string][]int{}
	for i, t := range all {
		if by[t.namespace] == nil {
			names = append(names, t.namespace)
		}
		by[t.namespace] = append(by[t.namespace], i)
	}
	u32(len(names))
	at := map[string]int{}
	for _, name := range names {
		if version >= 2 {
			u32(7)
		}
		str(name)
		u32(len(by[name]))
		for _, i := range by[name] {
			t := all[i]
			if version >= 2 {
				u32(7)
			}
			str(t.key)
			u32(i)
			if version == 0 {
				str(t.text)
				continue
			}
			if _, ok := at[t.text]; !ok {
				at[t.text] = len(at)
				strs = unreal.AppendFString(strs, t.text)
				if version >= 2 {
					strs = binary.LittleEndian.AppendUint32(strs, 1)
				}
			}
			u32(at[t.text])
		}
	}
	if version >= 1 {
		binary.LittleEndian.PutUint64(b[17:], uint64(len(b)))
		u32(len(at))
		b = append(b, strs...)
	}
	return b
}

func locresInspect(name string, b []byte) (*codecs.Facts, error) {
	e := &codecs.Entry{Name: name}
	return textfile.LocresInspector().Inspect(context.Background(), bytes.NewReader(b), int64(len(b)), e)
}

// listed returns the texts of facts; a missing one is "<none>".
func listed(f *unreal.LocresFacts) (all []localized) {
	for _, r := range f.Rows {
		t := localized{f.Texts[r.Namespace], f.Texts[r.Key], "<none>"}
		if r.Text >= 0 {
			t.text = f.Texts[r.Text]
		}
		all = append(all, t)
	}
	return all
}

func TestLocresVersions(t *testing.T) {
	for version := range 4 {
		f, err := locresInspect("a.locres", write(version, texts))
		if err != nil || len(f.Problems) > 0 || f.Kind != "unreal-locres" {
			t.Errorf("%d: %v, %+v", version, err, f)
			continue
		}
		d := f.Detail.(*unreal.LocresFacts)
		if got := listed(d); !cmp.Equal(got, texts, cmp.AllowUnexported(localized{})) {
			t.Errorf("%d: %v", version, got)
		}
		for i, r := range d.Rows {
			if r.SourceHash != uint32(i) || r.Native {
				t.Errorf("%d: %+v", version, r)
			}
		}
		if d.Version != version || d.Namespaces != 2 {
			t.Errorf("%d: version %d, %d namespaces", version, d.Version, d.Namespaces)
		}
	}
}

// TestDamage: what comes before the damage stays.
func TestDamage(t *testing.T) {
	whole := write(3, texts)
	strings := int(binary.LittleEndian.Uint64(whole[17:]))
	for _, c := range []struct {
		name  string
		body  []byte
		rows  int // -1: an error
		field string
		off   int64
		class error
	}{
		{"newer version", append([]byte(magicRes), 4), -1, "version", 16, errors.ErrUnsupported},
		{"magic alone", []byte(magicRes), -1, "header", 16, codecs.ErrTruncated},
		{"no locres", []byte("this is some text"), -1, "namespaces", 0, codecs.ErrCorrupt},
		{"cut in the strings", whole[:len(whole)-3], 5, "strings", int64(len(whole) - 4), codecs.ErrTruncated},
		{"cut before the strings", whole[:strings], 5, "strings", int64(strings), codecs.ErrTruncated},
		{"cut in the keys", whole[:strings-6], 4, "offset of strings", 17, codecs.ErrCorrupt},
		{"offset of strings", put(whole, 17, 5), 5, "offset of strings", 17, codecs.ErrCorrupt},
		{"strings elsewhere", append(bytes.Clone(whole), 0), 5, "strings", int64(len(whole)), codecs.ErrNonStrict},
		{"entries", put(whole, 25, 6), 5, "entries", 25, codecs.ErrNonStrict},
		{"hostile count", put(whole, 29, 0xffffffff), 0, "namespaces", 29, codecs.ErrCorrupt},
		{"string index", put(whole, strings-4, 99), 5, "string index", int64(strings - 4), codecs.ErrCorrupt},
	} {
		f, err := locresInspect("a.locres", c.body)
		var at *codecs.FormatError
		if c.rows < 0 {
			errors.As(err, &at)
		} else if err == nil && len(f.Problems) > 0 {
			at = f.Problems[0]
			if got := len(f.Detail.(*unreal.LocresFacts).Rows); got != c.rows {
				t.Errorf("%s: %d rows, want %d", c.name, got, c.rows)
			}
		}
		if at == nil || at.Field != c.field || at.Off != c.off || !errors.Is(at, c.class) {
			t.Errorf("%s: %v (%v), want %s at %#x, %v", c.name, at, err, c.field, c.off, c.class)
		}
	}
}

func put(b []byte, at int, v uint32) []byte {
	b = bytes.Clone(b)
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

func metaOf(version byte) []byte {
	b := append([]byte(magicMeta), version)
	b = unreal.AppendFString(unreal.AppendFString(b, "en"), "en/Game.locres")
	if version >= 1 {
		b = binary.LittleEndian.AppendUint32(b, 2)
		b = unreal.AppendFString(unreal.AppendFString(b, "de"), "en")
	}
	if version >= 2 {
		b = binary.LittleEndian.AppendUint32(b, 1)
	}
	return b
}

func TestLocmeta(t *testing.T) {
	for version := range byte(3) {
		f, err := locresInspect("a.locmeta", metaOf(version))
		if err != nil || len(f.Problems) > 0 || f.Kind != "unreal-locmeta" {
			t.Fatalf("%d: %v, %+v", version, err, f)
		}
		want := &unreal.LocmetaFacts{Version: int(version), Native: "en", NativeFile: "en/Game.locres"}
		if version >= 1 {
			want.Cultures = []string{"de", "en"}
		}
		if d := cmp.Diff(want, f.Detail); d != "" {
			t.Error(d)
		}
	}
	for name, body := range map[string][]byte{"magic": []byte("x"), "version": metaOf(3), "native culture": metaOf(0)[:20]} {
		_, err := locresInspect("a.locmeta", body)
		var at *codecs.FormatError
		if !errors.As(err, &at) || at.Field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := locresInspect("a.locmeta", metaOf(1)[:50])
	if err != nil || len(f.Problems) != 1 || f.Problems[0].Field != "cultures" {
		t.Errorf("cut: %+v, %v", f, err)
	}
}

func TestLocresMatch(t *testing.T) {
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"a.locres", "", true}, {"a.LOCRES", "x", true}, {"a", magicRes, true}, {"a", magicMeta, true}, {"a.locmeta", "", true}, {"a.txt", "x", false},
	} {
		if got := textfile.LocresInspector().Match(&codecs.Entry{Name: c.name}, []byte(c.head)); got != c.want {
			t.Errorf("%s %x: %v", c.name, c.head, got)
		}
	}
}

// locresSample returns a sample, unpacked if it is packed.
func locresSample(t *testing.T, name string) []byte {
	t.Helper()
	if name != "locres/v0_ja.locres" {
		body, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", name))
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	packed := codecstest.Sample(t, "unreal-properties", name+".xz")
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip("xz is not installed")
	}
	body, err := exec.Command("xz", "-dc", packed).Output()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestLocresSamples compares with what an independent reader found.
func TestLocresSamples(t *testing.T) {
	for _, name := range []string{"cue4parse-UE5_8/de.locres", "cue4parse-UE5_8/en.locres", "locres/v0_ja.locres"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			body := locresSample(t, name)
			f, err := locresInspect(name, body)
			if err != nil || len(f.Problems) > 0 {
				t.Fatal(err, f.Problems)
			}
			var truth struct {
				Entries    int
				Namespaces [][2]json.RawMessage // of a long file the first ones
			}
			b, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", "truth", name+".json"))
			if err == nil {
				err = json.Unmarshal(b, &truth)
			}
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, n := range truth.Namespaces {
				var namespace string
				var rows [][3]any
				if err := errors.Join(json.Unmarshal(n[0], &namespace), json.Unmarshal(n[1], &rows)); err != nil {
					t.Fatal(err)
				}
				for _, r := range rows {
					want = append(want, fmt.Sprintf("%q %q %.0f %q", namespace, r[0], r[1], r[2]))
				}
			}
			d := f.Detail.(*unreal.LocresFacts)
			own := 0
			for i, x := range listed(d) {
				got = append(got, fmt.Sprintf("%q %q %d %q", x.namespace, x.key, d.Rows[i].SourceHash, x.text))
				if d.Rows[i].Native {
					own++
				}
			}
			if truth.Entries > 0 && len(got) != truth.Entries {
				t.Errorf("%d texts, want %d", len(got), truth.Entries)
			}
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("%s is missing", line)
				}
			}
			if name == "cue4parse-UE5_8/en.locres" && own != len(got) {
				t.Errorf("%d of %d texts of the native culture have their source hash", own, len(got))
			}
		})
	}
}

func seeds() (all [][]byte) {
	for version := range 4 {
		all = append(all, write(version, texts))
	}
	for version := range byte(3) {
		all = append(all, metaOf(version))
	}
	return all
}

func TestLocresCorpus(t *testing.T) {
	for i, s := range seeds() {
		codecstest.Corpus(t, *update, "FuzzLocresInspect", fmt.Sprint("made", i), fmt.Sprintf("[]byte(%q)", s))
	}
}

func FuzzLocresInspect(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, name := range []string{"a.locres", "a.locmeta"} {
			facts, err := locresInspect(name, body)
			if (facts == nil) == (err == nil) {
				t.Fatalf("facts %v, err %v", facts, err)
			}
			if err != nil {
				checkPlace(t, err)
				continue
			}
			for _, p := range facts.Problems {
				checkPlace(t, p)
			}
			facts.Detail.Batch()
			if d, ok := facts.Detail.(*unreal.LocresFacts); ok {
				if len(listed(d)) > len(body)/12 {
					t.Fatalf("%d rows in %d bytes", len(d.Rows), len(body))
				}
			}
		}
	})
}

func checkPlace(t *testing.T, err error) {
	t.Helper()
	var at *codecs.FormatError
	if !errors.As(err, &at) || at.Off < 0 || at.Field == "" {
		t.Fatalf("%v: no place", err)
	}
}

func BenchmarkLocresInspect(b *testing.B) {
	var all []localized
	for i := range 60_000 {
		all = append(all, localized{fmt.Sprint("ST_", i/100), fmt.Sprintf("%032X", i*7919), strings.Repeat("Grüße aus ", i%7) + fmt.Sprint(i)})
	}
	body := write(3, all)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := locresInspect("a.locres", body); err != nil {
			b.Fatal(err)
		}
	}
}
