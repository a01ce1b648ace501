package gpak_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
)

var kinds = []string{"kapg", "1.5", "1.6"}

func readPak(t testing.TB, b []byte) []codecstest.Item {
	t.Helper()
	return codecstest.Items(t, codecstest.Open(t, gpak.Format(), codecstest.Bytes("written.sip", b), nil))
}

// repack writes the entries of src again, from their stored bytes.
func repack(t testing.TB, src codecs.Source, o *codecs.CreateOptions) []byte {
	t.Helper()
	a := codecstest.Open(t, gpak.Format(), src, nil)
	var out codecstest.Buffer
	w, err := gpak.Format().Create(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := a.OpenRaw(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddRaw(context.Background(), e, raw); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRepackedKAPGIsTheSameFile(t *testing.T) {
	for _, file := range []string{"Calligraphy_v10_mhpaktool.sip", "Calligraphy_v11_mhpaktool.sip",
		"Resource_mhpaktool.sip", "Calligraphy_1.10_names.sip"} {
		t.Run(file, func(t *testing.T) {
			want, err := os.ReadFile(codecstest.Sample(t, "gpak", file))
			if err != nil {
				t.Fatal(err)
			}
			if got := repack(t, codecstest.Bytes(file, want), nil); !bytes.Equal(got, want) {
				t.Errorf("%d bytes, %x; want %d, %x", len(got), sha256.Sum256(got), len(want), sha256.Sum256(want))
			}
		})
	}
}

// The SQLite kinds are rebuilt by another SQLite than the sample's, so their
// bytes need not be equal; the rows must be.
func TestRepackedDatabaseHoldsTheSameBlobs(t *testing.T) {
	for file, version := range map[string]string{"mu_cdata_1.5.sip": "1.5", "mu_cdata_1.6.sip": "1.6"} {
		t.Run(file, func(t *testing.T) {
			src := sample(t, file)
			got := codecstest.Open(t, gpak.Format(), codecstest.Bytes(file, repack(t, src, &codecs.CreateOptions{Version: version})), nil)
			want := codecstest.Open(t, gpak.Format(), src, nil)
			if w, g := rawRows(t, want), rawRows(t, got); w != g {
				t.Errorf("rows differ:\n%s\nwant:\n%s", g, w)
			}
		})
	}
}

func rawRows(t testing.TB, a codecs.Archive) string {
	var s strings.Builder
	fmt.Fprintln(&s, a.Info().Version)
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := a.OpenRaw(e)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(raw)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "%+v %x\n", *e, sha256.Sum256(b))
	}
	return s.String()
}

// From every kind to every kind, contents, names and times stay, and what was
// written is strict.
func TestConvert(t *testing.T) {
	for _, from := range []string{"mu_cdata_1.5.sip", "mu_cdata_1.6.sip", "Calligraphy_v10_mhpaktool.sip"} {
		items := codecstest.Items(t, codecstest.Open(t, gpak.Format(), sample(t, from), nil))
		for _, to := range kinds {
			t.Run(from+" to "+to, func(t *testing.T) {
				b := codecstest.Write(t, gpak.Format(), &codecs.CreateOptions{Version: to}, items)
				sameItems(t, items, readPak(t, b))
				isStrict(t, b)
			})
		}
	}
}

func sameItems(t testing.TB, want, got []codecstest.Item) {
	t.Helper()
	if diff := codecstest.Equal(want, got); diff != "" {
		t.Fatal(diff)
	}
	mods := map[string]time.Time{}
	for _, it := range want {
		mods[it.Entry.Name] = it.Entry.Mod
	}
	for _, it := range got {
		if !mods[it.Entry.Name].Equal(it.Entry.Mod) {
			t.Errorf("%s: time %v, want %v", it.Entry.Name, it.Entry.Mod, mods[it.Entry.Name])
		}
	}
}

// isStrict requires that a written pak has nothing to report at all.
func isStrict(t testing.TB, b []byte) {
	t.Helper()
	if found := codecstest.Problems(context.Background(), gpak.Format(), codecstest.Bytes("written.sip", b), nil); len(found) > 0 {
		t.Fatal(errors.Join(found...))
	}
}

// LZ4 blocks pass between KAPG and SQLite 1.6 as they are.
func TestRawBlocksPassBetweenKinds(t *testing.T) {
	src := sample(t, "mu_cdata_1.6.sip")
	b := repack(t, src, nil)
	sameItems(t, codecstest.Items(t, codecstest.Open(t, gpak.Format(), src, nil)), readPak(t, b))
	back := repack(t, codecstest.Bytes("a.sip", b), &codecs.CreateOptions{Version: "1.6"})
	w := rawRows(t, codecstest.Open(t, gpak.Format(), src, nil))
	g := rawRows(t, codecstest.Open(t, gpak.Format(), codecstest.Bytes("b.sip", back), nil))
	if w != g {
		t.Error("there and back differs")
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		items := genItems(rt)
		version := rapid.SampledFrom(kinds).Draw(rt, "version")
		o := &codecs.CreateOptions{Version: version}
		b := codecstest.Write(t, gpak.Format(), o, items)
		sameItems(t, items, readPak(t, b))
		isStrict(t, b)
		if !bytes.Equal(b, codecstest.Write(t, gpak.Format(), o, items)) {
			rt.Fatal("written twice, two files")
		}
		if again := repack(t, codecstest.Bytes("a.sip", b), o); !bytes.Equal(b, again) {
			rt.Fatal("repacked, another file")
		}
	})
}

func genItems(rt *rapid.T) []codecstest.Item {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z0-9_/.é]{0,40}`), 0, 12, gpak.Hash).Draw(rt, "names")
	var items []codecstest.Item
	for _, n := range names {
		data := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(rt, "data")
		data = bytes.Repeat(data, rapid.IntRange(1, 50).Draw(rt, "repeat"))
		e := &codecs.Entry{Name: n}
		if s := rapid.Int32().Draw(rt, "mod"); s != 0 {
			e.Mod = time.Unix(int64(s), 0)
		}
		items = append(items, codecstest.Item{Entry: e, Data: data})
	}
	return items
}

func TestWriterRefuses(t *testing.T) {
	raw := func(e codecs.Entry, stored string) func(codecs.Writer) error {
		return func(w codecs.Writer) error { return w.AddRaw(context.Background(), &e, strings.NewReader(stored)) }
	}
	add := func(es ...codecs.Entry) func(codecs.Writer) error {
		return func(w codecs.Writer) (err error) {
			for _, e := range es {
				err = w.Add(context.Background(), &e, strings.NewReader("content"))
			}
			return err
		}
	}
	tests := []struct {
		name, version string
		fill          func(codecs.Writer) error
		class         error
		field         string
	}{
		{"name twice", "kapg", add(codecs.Entry{Name: "A/b"}, codecs.Entry{Name: "A/b"}), errors.ErrUnsupported, "path hash"},
		{"differs in case", "1.6", add(codecs.Entry{Name: "A/b"}, codecs.Entry{Name: "a/B"}), errors.ErrUnsupported, "path hash"},
		{"differs in case, 1.5", "1.5", add(codecs.Entry{Name: "A/b"}, codecs.Entry{Name: "a/B"}), errors.ErrUnsupported, "path hash"},
		{"not UTF-8", "kapg", add(codecs.Entry{Name: "\xff"}), codecs.ErrName, "name"},
		{"backslash", "kapg", add(codecs.Entry{Name: `A\b`}), codecs.ErrName, "name"},
		{"long name", "kapg", add(codecs.Entry{Name: strings.Repeat("a", 70_000)}), codecs.ErrLimit, "name length"},
		{"after 2038", "kapg", add(codecs.Entry{Name: "a", Mod: time.Unix(1<<31, 0)}), codecs.ErrLimit, "mod time"},
		{"delete record", "kapg", add(codecs.Entry{Name: "a", Flags: codecs.Deleted}), errors.ErrUnsupported, "flags"},
		{"raw of another method", "1.5", raw(codecs.Entry{Method: compress.LZ4, Stored: 1}, "\x00"), errors.ErrUnsupported, "method"},
		{"raw of another length", "kapg", raw(codecs.Entry{Method: compress.LZ4, Stored: 2}, "\x00"), codecs.ErrTruncated, "size"},
		{"raw of impossible size", "kapg", raw(codecs.Entry{Method: compress.LZ4, Stored: 1, Size: 256}, "\x00"), codecs.ErrCorrupt, "size"},
		{"raw over 2 GiB", "kapg", raw(codecs.Entry{Method: compress.LZ4, Stored: 1, Size: 1 << 31}, "\x00"), codecs.ErrLimit, "size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out codecstest.Buffer
			w, err := gpak.Format().Create(&out, &codecs.CreateOptions{Version: tt.version})
			if err != nil {
				t.Fatal(err)
			}
			err = tt.fill(w)
			var fe *codecs.FormatError
			if !errors.As(err, &fe) || !errors.Is(err, tt.class) || fe.Field != tt.field {
				t.Errorf("got %v", err)
			}
			if cerr := w.Close(); !errors.Is(cerr, tt.class) {
				t.Errorf("Close after a failure: %v", cerr)
			}
			if len(out.Bytes()) > 0 {
				t.Error("wrote something")
			}
		})
	}
}

func TestCreateRefusesOptions(t *testing.T) {
	for field, o := range map[string]codecs.CreateOptions{
		"version":       {Version: "1.7"},
		"mount":         {MountPoint: "../"},
		"block-size":    {BlockSize: 65536},
		"encrypt-index": {EncryptIndex: true},
		"align":         {Align: 16},
		"method":        {Method: compress.Zlib},
		"keys":          {Keys: func([16]byte) []byte { return nil }},
	} {
		_, err := gpak.Format().Create(&codecstest.Buffer{}, &o)
		var fe *codecs.FormatError
		if !errors.As(err, &fe) || !errors.Is(err, errors.ErrUnsupported) || fe.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A cancelled Add ends the writer; nothing of it is left behind.
func TestCancelledWriterLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	for _, version := range kinds {
		w, err := gpak.Format().Create(&codecstest.Buffer{}, &codecs.CreateOptions{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		done, cancel := context.WithCancel(context.Background())
		cancel()
		if err := w.Add(done, &codecs.Entry{Name: "a"}, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Add = %v", version, err)
		}
		if err := w.(codecs.Aborter).Abort(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("%s leaves %v", version, left)
		}
		if err := w.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Close after Abort = %v", version, err)
		}
	}
}
