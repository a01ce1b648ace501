package store

import (
	"bytes"
	"fmt"
	"io"

	"pakdb/diff/ship/delta/table"
	"pakdb/internal/stored"
)

// blankTables finds tables of an Unreal pak at the begin of b, which stands at a
// place of the file, and returns what they are without what follows from the
// file: blank, instead of n bytes of b. Entries begin at places. n is 0 if there
// are none that follow.
func blankTables(b []byte, at int64, places []int64, file io.ReaderAt) (blank []byte, n int) {
	if len(b) > table.MaxSize || len(places) == 0 {
		return nil, 0
	}
	number := make(map[int64]int64, len(places))
	for i, p := range places {
		number[p] = int64(i)
	}
	for _, n := range table.Ends(b) {
		t, err := table.Parse(table.Unreal, b[:n], at)
		if err != nil {
			continue
		}
		refs := make([]int64, len(t.Rows()))
		next := int64(0)
		for i, row := range t.Rows() {
			if row.Off < 0 {
				continue
			}
			k, ok := number[row.Off]
			if !ok {
				return nil, 0
			}
			refs[i] = int64(zigzag(k - next))
			next = k + 1
		}
		if blank, err = table.Blank(t, refs); err != nil {
			continue
		}
		if again, err := FillTables(blank, at, places, file); err == nil && bytes.Equal(again, b[:n]) {
			return blank, n
		}
	}
	return nil, 0
}

// BlankGroup is tables that are taken as blank ones.
type BlankGroup struct {
	Group
	Content []byte
}

// BlankBehind returns the blank tables that a group begins with, if it stands
// behind all entries. What it has behind them is left to the skeleton.
func (g *Group) BlankBehind(in io.ReaderAt, places []int64) (b BlankGroup, ok bool) {
	if !g.end || g.Length() > table.MaxSize {
		return b, false
	}
	plain := make([]byte, g.Length())
	if err := stored.ReadAt(in, plain, g.Off); err != nil {
		return b, false
	}
	content, n := blankTables(plain, g.Off, places, in)
	if n == 0 || len(plain)-n > smallGap {
		return b, false
	}
	b = BlankGroup{*g, content}
	b.Method, b.Size, b.Block, b.Stored = MethodTables, int64(len(content)), 0, []int64{int64(n)}
	return b, true
}

// FillTables makes tables of blank ones.
func FillTables(blank []byte, at int64, places []int64, file io.ReaderAt) ([]byte, error) {
	t, err := table.Parse(table.Unreal, blank, table.BlankAt)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	items := make([]table.Item, len(t.Rows()))
	next := int64(0)
	for i, row := range t.Rows() {
		items[i] = table.Item{Old: i, Off: -1}
		if row.Off < 0 {
			continue
		}
		k := next + unzigzag(uint64(row.Off))
		if k < 0 || k >= int64(len(places)) {
			return nil, fmt.Errorf("%w: an entry after the last", ErrCorrupt)
		}
		items[i].Off = places[k]
		next = k + 1
	}
	b, err := t.Predict(items, table.Kept, file, at)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return b, nil
}

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
