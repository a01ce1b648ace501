package parquet_test

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	reference "github.com/parquet-go/parquet-go"

	"pakdb/internal/parquet"
)

var columns = []parquet.Column{
	{Name: "build", Few: true},
	{Name: "path", Null: true},
	{Name: "ext", Null: true, Few: true},
	{Name: "hash"},
	{Name: "many", Few: true},
	{Name: "size", Kind: parquet.Int},
	{Name: "n", Kind: parquet.Int, Null: true},
	{Name: "number", Kind: parquet.Real, Null: true},
	{Name: "none", Null: true, Few: true},
}

// row returns a row of each kind of values: sorted texts, few, random ones; numbers that
// differ little, and by more than 63 bits.
func row(r *rand.Rand, i int) []driver.Value {
	v := []driver.Value{"1.52", fmt.Sprintf("Game/Content/Maps/%06d/é\x00.umap", i), nil, fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()),
		fmt.Sprint(i / 2), int64(i * 16), nil, nil, nil}
	if i%7 == 0 {
		v[1] = nil
	}
	if i%3 > 0 || i/1000%2 == 1 {
		v[2] = []string{"", "umap", "uasset", "bin", "txt"}[r.IntN(5)]
	}
	if i%5 == 0 {
		v[6] = int64(r.Uint64())
	}
	if i%11 == 0 {
		v[6] = []int64{math.MinInt64, math.MaxInt64}[r.IntN(2)]
	}
	if i%2 == 0 {
		v[7] = r.NormFloat64()
	}
	return v
}

// put writes a row.
func put(w *parquet.Writer, row []driver.Value) error {
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			w.Null(i)
		case string:
			w.Text(i, []byte(v))
		case int64:
			w.Int(i, v)
		case float64:
			w.Real(i, v)
		}
	}
	return w.End()
}

func write(t testing.TB, rows int, opts parquet.Options) ([]byte, [][]driver.Value) {
	t.Helper()
	var file bytes.Buffer
	w, err := parquet.NewWriter(&file, columns, opts)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var all [][]driver.Value
	for i := range rows {
		all = append(all, row(r, i))
		if err := put(w, all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || w.Rows() != int64(rows) {
		t.Fatalf("%d rows: %v", w.Rows(), err)
	}
	return file.Bytes(), all
}

// TestReference: another implementation reads what was written, with all numbers of rows
// at which something changes.
func TestReference(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 33, 128, 129, 130, 1000, 20_000, 20_001, 50_000, parquet.GroupRows, parquet.GroupRows + 1} {
		if testing.Short() && n > 50_000 {
			continue
		}
		file, want := write(t, n, parquet.Options{Sorted: []int{1, 3}, Meta: [][2]string{{"pakdb", "1"}}, Creator: "pakdb"})
		f, err := reference.OpenFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		if v, ok := f.Lookup("pakdb"); !ok || v != "1" || f.NumRows() != int64(n) || len(f.RowGroups()) != (n+parquet.GroupRows-1)/parquet.GroupRows {
			t.Fatalf("%d rows: %q, %d, %d groups", n, v, f.NumRows(), len(f.RowGroups()))
		}
		at := 0
		for _, g := range f.RowGroups() {
			rows := g.Rows()
			buf := make([]reference.Row, 1000)
			for {
				read, err := rows.ReadRows(buf)
				for _, r := range buf[:read] {
					compare(t, at, r, want[at])
					at++
				}
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%d rows: %v", n, err)
				}
			}
			_ = rows.Close()
			if t.Failed() {
				t.FailNow()
			}
		}
		if at != n {
			t.Errorf("%d rows of %d", at, n)
		}
		for _, g := range f.Metadata().RowGroups {
			if len(g.SortingColumns) != 2 || !g.SortingColumns[0].NullsFirst {
				t.Errorf("sorted by %v", g.SortingColumns)
			}
		}
	}
}

func compare(t *testing.T, at int, got reference.Row, want []driver.Value) {
	for i, v := range got {
		var has driver.Value
		switch {
		case v.IsNull():
		case columns[i].Kind == parquet.Text:
			has = v.String()
		case columns[i].Kind == parquet.Int:
			has = v.Int64()
		default:
			has = v.Double()
		}
		if has != want[i] {
			t.Errorf("row %d, %s: %#v, want %#v", at, columns[i].Name, has, want[i])
		}
	}
}

// TestStatistics: the least and the greatest value of a column are what they are.
func TestStatistics(t *testing.T) {
	file, _ := write(t, 5000, parquet.Options{})
	f, err := reference.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Metadata().RowGroups[0].Columns
	path, size, none := c[1].MetaData.Statistics, c[5].MetaData.Statistics, c[8].MetaData.Statistics
	if string(path.MinValue) != "Game/Content/Maps/000001/é\x00.umap" || string(path.MaxValue) != "Game/Content/Maps/004999/é\x00.umap" || path.NullCount != 715 {
		t.Errorf("path: %q to %q, %d NULL", path.MinValue, path.MaxValue, path.NullCount)
	}
	if !bytes.Equal(size.MinValue, make([]byte, 8)) || size.MaxValue[0] != 4999*16&0xff || none.MinValue != nil || none.NullCount != 5000 {
		t.Errorf("size: %x to %x; none: %x", size.MinValue, size.MaxValue, none.MinValue)
	}
}

func TestSameBytes(t *testing.T) {
	a, _ := write(t, 30_000, parquet.Options{})
	b, _ := write(t, 30_000, parquet.Options{})
	if !bytes.Equal(a, b) {
		t.Error("the same rows gave other bytes")
	}
}

// TestRefusals: values that a column cannot have, and a writer that fails.
func TestRefusals(t *testing.T) {
	good := row(rand.New(rand.NewPCG(1, 2)), 1)
	for i, bad := range []driver.Value{nil, int64(1), 1.5, nil, nil, "1", "1", "1", int64(3)} {
		w, _ := parquet.NewWriter(io.Discard, columns, parquet.Options{})
		r := append([]driver.Value{}, good...)
		if r[i] = bad; put(w, r) == nil || put(w, good) == nil || w.Close() == nil {
			t.Errorf("%s took %#v", columns[i].Name, bad)
		}
	}
	w, _ := parquet.NewWriter(io.Discard, columns, parquet.Options{})
	_ = put(w, good)
	if _ = put(w, good[:3]); w.Close() == nil {
		t.Error("a short row was taken")
	}
	for limit := range 3 {
		w, err := parquet.NewWriter(&failing{limit * 4}, columns, parquet.Options{})
		if err == nil {
			_ = put(w, good)
			err = w.Close()
		}
		if !errors.Is(err, errFull) {
			t.Errorf("after %d bytes: %v", limit*4, err)
		}
	}
}

var errFull = errors.New("full")

type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestLongTexts: a dictionary that grows too large is given up, and no statistic is cut.
func TestLongTexts(t *testing.T) {
	var file bytes.Buffer
	w, _ := parquet.NewWriter(&file, []parquet.Column{{Name: "a", Few: true}}, parquet.Options{})
	for i := range 4000 {
		if err := put(w, []driver.Value{strings.Repeat(string(rune('a'+i%7)), 1000) + fmt.Sprint(i/2)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := reference.Read[struct {
		A string `parquet:"a"`
	}](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(rows) != 4000 || rows[3999].A != strings.Repeat(string(rune('a'+3999%7)), 1000)+"1999" {
		t.Errorf("%d rows: %v", len(rows), err)
	}
}

func BenchmarkWrite(b *testing.B) {
	w, _ := parquet.NewWriter(io.Discard, columns, parquet.Options{})
	r := row(rand.New(rand.NewPCG(1, 2)), 1)
	for b.Loop() {
		if err := put(w, r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestDigits: hashes come back whether they differ or not, and those that do take as many
// bytes as they say, and one in a hundred more.
func TestDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		rows, different int // of the rows
		null            bool
		size            int
		sorted          bool
	}{
		{1, 1, false, 32, false}, {63, 63, false, 32, false}, {64, 64, true, 32, false}, {50_000, 50_000, false, 32, false},
		{50_000, 50_000, true, 16, false}, {50_000, 100, false, 32, false}, {50_000, 1, true, 32, false}, {300, 300, false, 4, false},
		{150_000, 150_000, false, 32, true}, {100, 100, false, 0, false},
	} {
		hashes := make([]string, c.rows)
		for i := range hashes {
			b := make([]byte, c.size)
			if i < c.different {
				for n := range b {
					b[n] = byte(r.Uint32())
				}
				hashes[i] = string(b)
			} else {
				hashes[i] = hashes[r.IntN(c.different)]
			}
		}
		if c.sorted {
			slices.Sort(hashes)
		}
		var file bytes.Buffer
		w, err := parquet.NewWriter(&file, []parquet.Column{{Name: "hash", Null: true, Digits: true}}, parquet.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range hashes {
			if c.null && i%10 == 0 {
				w.Null(0)
			} else {
				w.Hex(0, []byte(h))
			}
			if err := w.End(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		rows, err := reference.Read[struct {
			Hash *string `parquet:"hash,optional"`
		}](bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil || len(rows) != c.rows {
			t.Fatalf("%+v: %d rows: %v", c, len(rows), err)
		}
		for i, row := range rows {
			null := c.null && i%10 == 0
			if null != (row.Hash == nil) || !null && *row.Hash != hex.EncodeToString([]byte(hashes[i])) {
				t.Fatalf("%+v: row %d has %v", c, i, row.Hash)
			}
		}
		if c.different == 50_000 && !c.null && file.Len() > c.rows*c.size*101/100 {
			t.Errorf("%+v: %d bytes", c, file.Len())
		}
	}
}

// TestDigitsOrTexts: a column of digits keeps texts that are none, wherever they come.
func TestDigitsOrTexts(t *testing.T) {
	odd := []string{"abc", "AB", "0g", "", "no digits", "ab", "00ff"}
	for _, at := range []int{0, 1, 70, 25_000, 39_999} {
		for _, text := range odd {
			var file bytes.Buffer
			w, err := parquet.NewWriter(&file, []parquet.Column{{Name: "hash", Digits: true}}, parquet.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(5, 6))
			var want []string
			for i := range 40_000 {
				hash := binary.BigEndian.AppendUint64(nil, r.Uint64()>>(8*(i%3)))
				want = append(want, hex.EncodeToString(hash))
				switch {
				case i == at:
					want[i] = text
					w.Text(0, []byte(text))
				case i%2 == 0:
					w.Text(0, []byte(want[i]))
				default:
					w.Hex(0, hash)
				}
				if err := w.End(); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			rows, err := reference.Read[struct {
				Hash string `parquet:"hash"`
			}](bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil || len(rows) != len(want) {
				t.Fatalf("%q in row %d: %d rows: %v", text, at, len(rows), err)
			}
			for i, row := range rows {
				if row.Hash != want[i] {
					t.Fatalf("%q in row %d: row %d is %q, want %q", text, at, i, row.Hash, want[i])
				}
			}
		}
	}
}
