package gpak_test

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
	"pakdb/internal/testkit"
)

// truth is what the makers of the samples say is in them.
type truth struct {
	Format    string          `json:"format"`
	SHA1      string          `json:"sha1"`
	DataStart int64           `json:"data_start"`
	Entries   json.RawMessage `json:"entries"` // a list, or a count
	Decoded   int64           `json:"uncompressed"`
	Damaged   string          `json:"damaged_entry"`
}

type truthEntry struct {
	Path       string
	I          *int64
	Hash       string
	Mtime      int64
	L          int64
	Stored     int64
	FileOffset int64 `json:"file_offset"`
	Csize      int64
	Usize      int64
	SHA1       string `json:"sha1"`
}

func readTruth(t testing.TB) map[string]json.RawMessage {
	b, err := os.ReadFile(codecstest.Sample(t, "gpak", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func decode[T any](t testing.TB, raw json.RawMessage) T {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func sample(t testing.TB, file string) codecs.Source {
	return codecstest.OpenFile(t, codecstest.Sample(t, "gpak", file))
}

// listed are the samples whose every entry the truth lists.
var listed = []string{"mu_cdata_1.5.sip", "mu_cdata_1.6.sip", "Calligraphy_v10_mhpaktool.sip",
	"Calligraphy_v11_mhpaktool.sip", "Resource_mhpaktool.sip"}

func TestSamplesEntryByEntry(t *testing.T) {
	all := readTruth(t)
	for _, file := range listed {
		t.Run(file, func(t *testing.T) {
			want := decode[truth](t, all[file])
			a := codecstest.Open(t, gpak.Format(), sample(t, file), nil)
			if v := a.Info().Version; v != want.Format {
				t.Errorf("version %q, want %q", v, want.Format)
			}
			entries := decode[[]truthEntry](t, want.Entries)
			items := codecstest.Items(t, a)
			if len(items) != len(entries) {
				t.Fatalf("%d entries, want %d", len(items), len(entries))
			}
			for i, w := range entries {
				checkItem(t, items[i], w)
			}
		})
	}
}

func checkItem(t *testing.T, it codecstest.Item, w truthEntry) {
	t.Helper()
	e, sum := it.Entry, sha1.Sum(it.Data)
	hash, size, stored, offset := w.Hash, w.Usize, w.Csize, w.FileOffset
	if w.I != nil {
		hash, size, stored, offset = codecs.ID64(uint64(*w.I)).String(), w.L, w.Stored, -1
	}
	if e.Name != w.Path || e.PathHash.String() != hash || e.Size != size || e.Stored != stored || e.Offset != offset ||
		!e.Mod.Equal(time.Unix(w.Mtime, 0)) || hex.EncodeToString(sum[:]) != w.SHA1 {
		t.Errorf("%+v\nwant %+v", e, w)
	}
}

func TestRealNames(t *testing.T) {
	want := decode[struct {
		Entries      int
		DataStart    int64 `json:"data_start"`
		Uncompressed int64
	}](t, readTruth(t)["Calligraphy_1.10_names.sip"])
	a := codecstest.Open(t, gpak.Format(), sample(t, "Calligraphy_1.10_names.sip"), nil)
	var size, first int64 = 0, 1 << 62
	items := codecstest.Items(t, a)
	for _, it := range items {
		size += int64(len(it.Data))
		first = min(first, it.Entry.Offset)
	}
	if len(items) != want.Entries || size != want.Uncompressed || first != want.DataStart {
		t.Errorf("%d entries, %d bytes, data from %d; want %+v", len(items), size, first, want)
	}
	if len(items) != 25619 || size != 7674230 {
		t.Errorf("%d entries of %d bytes: not the known sample", len(items), size)
	}
}

func TestBothDatabasesHoldTheSame(t *testing.T) {
	old := codecstest.Items(t, codecstest.Open(t, gpak.Format(), sample(t, "mu_cdata_1.5.sip"), nil))
	now := codecstest.Items(t, codecstest.Open(t, gpak.Format(), sample(t, "mu_cdata_1.6.sip"), nil))
	if diff := codecstest.Equal(old, now); diff != "" {
		t.Error(diff)
	}
}

func TestHashVectors(t *testing.T) {
	for path, want := range decode[map[string]string](t, readTruth(t)["_hash_vectors"]) {
		if got := codecs.ID64(gpak.Hash(path)).String(); got != want {
			t.Errorf("Hash(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestSamplesKeepTheContract(t *testing.T) {
	for _, file := range testkit.Some(append(listed, "Calligraphy_1.10_names.sip"), 1) {
		t.Run(file, func(t *testing.T) {
			codecstest.Contract(t, gpak.Format(), sample(t, file), codecstest.ContractOptions{})
		})
	}
}

func TestSamplesEveryByteRead(t *testing.T) {
	for _, file := range append(listed, "Calligraphy_1.10_names.sip") {
		t.Run(file, func(t *testing.T) {
			codecstest.ByteCoverage(t, gpak.Format(), sample(t, file), nil)
		})
	}
}
