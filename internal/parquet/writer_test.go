package parquet_test

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
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
		if err := w.Write(all[i]); err != nil {
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
		if r[i] = bad; w.Write(r) == nil || w.Write(good) == nil || w.Close() == nil {
			t.Errorf("%s took %#v", columns[i].Name, bad)
		}
	}
	w, _ := parquet.NewWriter(io.Discard, columns, parquet.Options{})
	if w.Write(good[:3]) == nil {
		t.Error("a short row was taken")
	}
	for limit := range 3 {
		w, err := parquet.NewWriter(&failing{limit * 4}, columns, parquet.Options{})
		if err == nil {
			_ = w.Write(good)
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
		if err := w.Write([]driver.Value{strings.Repeat(string(rune('a'+i%7)), 1000) + fmt.Sprint(i/2)}); err != nil {
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
		if err := w.Write(r); err != nil {
			b.Fatal(err)
		}
	}
}
