package retropak_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
)

// samples are paks that other tools wrote.
var samples = []struct{ file, version string }{
	{"mp1_small.pak", "MP1"},
	{"mp3_small.pak", "MP3"},
	{"mp3_small_v2.pak", "MP3"},
}

// truth is what truth.json says about one pak.
type truth struct {
	Named   []struct{ Name, Type, ID string }
	Entries []struct {
		Type, ID      string
		Compressed    int
		Offset        int64  // Metroid Prime 1
		FileOffset    int64  `json:"file_offset"`
		StoredSize    int64  `json:"stored_size"`
		ContentLen    int64  `json:"content_len"`
		ContentSHA1   string `json:"content_sha1"`
		ExtractedLen  int64  `json:"extracted_len"`
		ExtractedSHA1 string `json:"extracted_sha1"`
		Blocks        []struct{ CSize, USize int64 }
		Deps          []struct{ Type, ID string }
	}
}

func readTruth(t testing.TB, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(codecstest.Sample(t, "retro-pak", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[file], v); err != nil {
		t.Fatal(err)
	}
}

func sampleSource(t testing.TB, file string) codecs.Source {
	t.Helper()
	return codecstest.OpenFile(t, codecstest.Sample(t, "retro-pak", file))
}

func openSample(t testing.TB, file string) codecs.Archive {
	t.Helper()
	return codecstest.Open(t, retropak.Format(), sampleSource(t, file), nil)
}

func TestSampleContract(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			codecstest.Contract(t, retropak.Format(), sampleSource(t, s.file), codecstest.ContractOptions{})
		})
	}
}

func TestSampleEntries(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			var want truth
			readTruth(t, s.file, &want)
			a := openSample(t, s.file)
			if info := a.Info(); info.Version != s.version || len(info.Warnings) != 0 {
				t.Errorf("info %+v", info)
			}
			items := codecstest.Items(t, a)
			if len(items) != len(want.Entries) {
				t.Fatalf("%d entries, want %d", len(items), len(want.Entries))
			}
			for i, it := range items {
				w, e := want.Entries[i], it.Entry
				if id := strings.ToLower(w.ID); e.Type != w.Type || e.ID.String() != id || e.Name != w.Type+"/"+id {
					t.Errorf("entry %d is %s, %s %s; want %s %s", i, e.Name, e.Type, e.ID, w.Type, w.ID)
				}
				if e.Offset != w.Offset+w.FileOffset || e.Stored != w.StoredSize || e.Size != w.ExtractedLen {
					t.Errorf("entry %d: offset %d, stored %d, size %d; want %+v", i, e.Offset, e.Stored, e.Size, w)
				}
				if got := sum(it.Data); got != w.ExtractedSHA1 {
					t.Errorf("entry %d: SHA-1 %s, want %s", i, got, w.ExtractedSHA1)
				}
				if got := sum(it.Data[:w.ContentLen]); got != w.ContentSHA1 {
					t.Errorf("entry %d: SHA-1 of the original %s, want %s", i, got, w.ContentSHA1)
				}
				if got := e.Blocks != nil; got != (w.Compressed == 1) {
					t.Errorf("entry %d: compressed %v, want %d", i, got, w.Compressed)
				}
				for j, b := range w.Blocks {
					if e.Blocks[j].Stored != b.CSize || e.Blocks[j].Size != b.USize {
						t.Errorf("entry %d block %d: %+v, want %+v", i, j, e.Blocks[j], b)
					}
				}
			}
		})
	}
}

func sum(b []byte) string {
	h := sha1.Sum(b)
	return hex.EncodeToString(h[:])
}

func TestSampleNames(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			var want truth
			readTruth(t, s.file, &want)
			var got []string
			for n, err := range openSample(t, s.file).(codecs.Namer).Named() {
				if err != nil {
					t.Fatal(err)
				}
				if n.Ordinal != len(got) {
					t.Errorf("ordinal %d, want %d", n.Ordinal, len(got))
				}
				got = append(got, fmt.Sprintf("%s %s %s", n.Name, n.Type, n.ID))
			}
			for i, w := range want.Named {
				if line := fmt.Sprintf("%s %s %s", w.Name, w.Type, strings.ToLower(w.ID)); i >= len(got) || got[i] != line {
					t.Errorf("name %d: want %s", i, line)
				}
			}
			if len(got) != len(want.Named) {
				t.Errorf("%d names, want %d", len(got), len(want.Named))
			}
		})
	}
}

// The whole file is explained: what is not read is fill, whose place follows
// from the alignment.
func TestSampleByteCoverage(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			src := sampleSource(t, s.file)
			codecstest.ByteCoverage(t, retropak.Format(), src, nil, fillOf(t, src)...)
		})
	}
}

// fillOf returns the zeros behind header and section table, and the fill behind
// the compressed entries, of a pak with CMPD tables: those say where the data
// ends.
func fillOf(t *testing.T, src codecs.Source) (fill []codecstest.Range) {
	t.Helper()
	if head := readAll(t, src)[:0x80]; head[3] == 2 {
		for _, r := range []codecstest.Range{{Off: 0x18, Len: 0x28}, {Off: 0x5c, Len: 0x24}} {
			if zeros := head[r.Off : r.Off+r.Len]; bytes.Count(zeros, []byte{0}) != len(zeros) {
				t.Errorf("0x%x: % x", r.Off, zeros)
			}
			fill = append(fill, r)
		}
	}
	for e, err := range codecstest.Open(t, retropak.Format(), src, nil).Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if n := len(e.Blocks); n > 0 {
			last := e.Blocks[n-1]
			end := last.Offset + last.Stored
			rest := make([]byte, e.Offset+e.Stored-end)
			if _, err := src.ReadAt(rest, end); err != nil {
				t.Fatal(err)
			}
			if bytes.Count(rest, []byte{0xff}) != len(rest) {
				t.Errorf("%s: fill is % x", e.Name, rest)
			}
			fill = append(fill, codecstest.Range{Off: end, Len: int64(len(rest))})
		}
	}
	return fill
}

// The two Corruption samples differ as their maker says, when copies are
// compared as Padder tells: filled up to the boundary.
func TestSampleDiff(t *testing.T) {
	var want struct {
		Added, Removed    []string
		ContentChanged    []string         `json:"content_changed"`
		RestoredOtherwise []string         `json:"same_content_restored_differently"`
		CopiesChanged     map[string][]int `json:"copies_changed"`
		MovedOnly         []string         `json:"moved_only"`
		NamesAdded        []string         `json:"names_added"`
		NamesRemoved      []string         `json:"names_removed"`
	}
	readTruth(t, "_diff mp3_small.pak -> mp3_small_v2.pak", &want)
	before, after := summarize(t, "mp3_small.pak"), summarize(t, "mp3_small_v2.pak")
	var added, removed, changed, restored []string
	copies := map[string][]int{}
	for id, o := range before.content {
		n, ok := after.content[id]
		switch {
		case !ok:
			removed = append(removed, id)
		case o != n:
			changed = append(changed, id)
		case before.stored[id] != after.stored[id]:
			restored = append(restored, id)
		}
		if ok && before.copies[id] != after.copies[id] {
			copies[id] = []int{before.copies[id], after.copies[id]}
		}
	}
	for id := range after.content {
		if _, ok := before.content[id]; !ok {
			added = append(added, id)
		}
	}
	sameSet(t, "added", added, want.Added)
	sameSet(t, "removed", removed, want.Removed)
	sameSet(t, "changed", changed, want.ContentChanged)
	sameSet(t, "restored", restored, want.RestoredOtherwise)
	sameSet(t, "names removed", minus(before.names, after.names), want.NamesRemoved)
	sameSet(t, "names added", minus(after.names, before.names), want.NamesAdded)
	common := func(s summary) []string { return minus(minus(s.order, added), removed) }
	if slices.Equal(common(before), common(after)) {
		t.Error("nothing has moved")
	}
	if b, a := minus(common(before), want.MovedOnly), minus(common(after), want.MovedOnly); !slices.Equal(b, a) {
		t.Errorf("order %v became %v", b, a)
	}
	if fmt.Sprint(copies) != fmt.Sprint(want.CopiesChanged) {
		t.Errorf("copies %v, want %v", copies, want.CopiesChanged)
	}
}

// summary is a pak by id: of the first copy, the filled-up content and the
// stored bytes.
type summary struct {
	content, stored map[string]string
	copies          map[string]int
	names, order    []string
}

func summarize(t *testing.T, file string) summary {
	t.Helper()
	a := openSample(t, file)
	s := summary{map[string]string{}, map[string]string{}, map[string]int{}, nil, nil}
	for _, it := range codecstest.Items(t, a) {
		id := strings.ToUpper(it.Entry.ID.String())
		if s.copies[id]++; s.copies[id] == 1 {
			s.order = append(s.order, id)
			s.content[id] = sum(filled(a, it))
			s.stored[id] = sum(readRaw(t, a, it.Entry))
		}
	}
	for n, err := range a.(codecs.Namer).Named() {
		if err != nil {
			t.Fatal(err)
		}
		s.names = append(s.names, n.Name)
	}
	return s
}

// filled returns the content filled up as Padder tells.
func filled(a codecs.Archive, it codecstest.Item) []byte {
	align, fill := a.(codecs.Padder).Padding(it.Entry)
	b := slices.Clone(it.Data)
	for int64(len(b))%align != 0 {
		b = append(b, fill)
	}
	return b
}

func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func sameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func readRaw(t testing.TB, a codecs.Archive, e *codecs.Entry) []byte {
	t.Helper()
	r, err := a.OpenRaw(e)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, r.Size())
	if _, err := r.ReadAt(b, 0); err != nil && len(b) > 0 {
		t.Fatal(err)
	}
	return b
}
