package side

import (
	"context"
	"database/sql/driver"

	"pakdb/schema"
)

// AssetID is the id that an archive gives an entry beside its path, or in its place.
// The zero value is none.
type AssetID struct{ Bits, High, Low int64 }

// Identities are what entries are known by beside their paths.
type Identities struct {
	total int
	asset []AssetID // by Row.Seq; nil: no entry has one
	hash  []int64
}

// AssetID returns the asset id of a row, the zero value for none.
func (f *Identities) AssetID(r *Row) AssetID { return at(f.asset, r.Seq) }

// PathHash returns the hash of the path that the archive stores of a row, 0 for none.
func (f *Identities) PathHash(r *Row) int64 { return at(f.hash, r.Seq) }

func at[T any](list []T, i int32) (v T) {
	if list != nil {
		v = list[i]
	}
	return v
}

// Identities reads what rows are known by, which are indexes of b.Rows. It returns
// nil when no entry of b has any.
func (b *Side) Identities(ctx context.Context, rows []int32) (*Identities, error) {
	if b.db == nil {
		return b.ids, nil
	}
	found := &Identities{total: b.total}
	// A look-up by path costs about four times what reading a row in its order does.
	if len(rows) < b.total/4 || b.partly {
		return found, b.identitiesByPath(ctx, rows, found)
	}
	any := false
	for _, r := range b.reads {
		args := []driver.Value{b.ID, r.ordinals}
		has := false
		if err := schema.EachRow(ctx, b.db, hasIDs, args, func(v []driver.Value) { has = Integer(v[0]) != 0 }); err != nil {
			return nil, err
		}
		if !has {
			continue
		}
		any = true
		seq := r.from
		err := schema.EachRow(ctx, b.db, rowIDs, args, func(v []driver.Value) {
			if seq < b.total {
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
func (f *Identities) set(seq int, v []driver.Value) {
	if v[2] != nil {
		if f.asset == nil {
			f.asset = make([]AssetID, f.total)
		}
		f.asset[seq] = AssetID{Integer(v[0]), Integer(v[1]), Integer(v[2])}
	}
	if v[3] != nil {
		if f.hash == nil {
			f.hash = make([]int64, f.total)
		}
		f.hash[seq] = Integer(v[3])
	}
}

func (b *Side) identitiesByPath(ctx context.Context, rows []int32, found *Identities) error {
	type place struct{ path, ordinal int64 }
	seqs, paths := make(map[place][]int32, len(rows)), make([]int64, len(rows))
	for i, row := range rows {
		r := &b.Rows[row]
		at := place{r.Path, b.Archives[r.Archive].Ordinal}
		seqs[at], paths[i] = append(seqs[at], r.Seq), r.Path
	}
	return Batches(Set(paths), func(paths []int64) error {
		return schema.EachRow(ctx, b.db, entryIDs, []driver.Value{b.ID, Array(paths)}, func(v []driver.Value) {
			at := place{Integer(v[0]), Integer(v[1])}
			if waiting := seqs[at]; len(waiting) > 0 {
				found.set(int(waiting[0]), v[2:])
				seqs[at] = waiting[1:]
			}
		})
	})
}
