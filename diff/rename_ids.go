package diff

import (
	"context"
	"database/sql/driver"

	"pakdb/schema"
)

type ident struct{ bits, hi, lo int64 }

// ids are what entries are known by beside their paths, by the row's place in the
// build; zero where there is none.
type ids struct {
	total int
	asset []ident // nil: no entry has one
	hash  []int64
}

// byID goes by asset ids, which are the same under any name, and by the hashes
// that archives store of paths: two spellings of one path share theirs.
func (m *matcher) byID(ctx context.Context) error {
	if m.done() {
		return nil
	}
	known := map[*build]*ids{}
	for _, s := range []*side{&m.old, &m.new} {
		found, err := m.ids(ctx, s)
		if err != nil || found == nil {
			return err
		}
		known[s.build] = found
	}
	match(m, idWay, Renamed, func(s side, i int32) (ident, bool) {
		id := at(known[s.build].asset, s.rows[i].seq)
		return id, id.bits != 0
	})
	match(m, hashWay, Renamed, func(s side, i int32) (int64, bool) {
		h := at(known[s.build].hash, s.rows[i].seq)
		return h, h != 0
	})
	return nil
}

func at[T any](list []T, i int32) (v T) {
	if list != nil {
		v = list[i]
	}
	return v
}

// ids returns nil when no entry has any.
func (m *matcher) ids(ctx context.Context, s *side) (*ids, error) {
	found := &ids{total: s.total}
	// A look-up by path costs about four times what reading a row in its order does.
	if len(s.open) < s.total/4 || s.partly {
		return found, m.idsByPath(ctx, s, found)
	}
	any := false
	for _, r := range s.reads {
		args := []driver.Value{s.id, r.ordinals}
		has := false
		if err := schema.EachRow(ctx, m.r.db, hasIDs, args, func(v []driver.Value) { has = integer(v[0]) != 0 }); err != nil {
			return nil, err
		}
		if !has {
			continue
		}
		any = true
		seq := r.from
		err := schema.EachRow(ctx, m.r.db, rowIDs, args, func(v []driver.Value) {
			if seq < s.total {
				found.set(seq, v)
			}
			seq++
		})
		if err != nil {
			return nil, err
		}
	}
	if !any {
		return nil, nil
	}
	return found, nil
}

// set takes id_bits, id_hi, id_lo and path_hash.
func (f *ids) set(seq int, v []driver.Value) {
	if v[2] != nil {
		if f.asset == nil {
			f.asset = make([]ident, f.total)
		}
		f.asset[seq] = ident{integer(v[0]), integer(v[1]), integer(v[2])}
	}
	if v[3] != nil {
		if f.hash == nil {
			f.hash = make([]int64, f.total)
		}
		f.hash[seq] = integer(v[3])
	}
}

func (m *matcher) idsByPath(ctx context.Context, s *side, found *ids) error {
	seqs := make(map[int64]int, len(s.open))
	for _, row := range s.open {
		seqs[s.rows[row].path] = int(s.rows[row].seq)
	}
	return batches(s.paths(), func(paths []int64) error {
		return schema.EachRow(ctx, m.r.db, entryIDs, []driver.Value{s.id, jsonInts(paths)}, func(v []driver.Value) {
			if seq, ok := seqs[integer(v[0])]; ok {
				found.set(seq, v[1:])
			}
		})
	})
}
