package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// essencesSQL is one of the look-ups of many ids.
const essencesSQL = `SELECT g.content_id, g.essence FROM `

// essences tell of contents that are Unreal packages, or hold the bytes of
// their exports, what they say but for noise. A content has several where several
// packages divide it.
type essences map[int64][]string

func loadEssences(ctx context.Context, db *sql.DB, contents []int64) (essences, error) {
	found := essences{}
	var has bool
	if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM package_digest)").Scan(&has); err != nil || !has {
		return found, err
	}
	err := lookUp(ctx, db, essencesSQL, "package_digest g", "g.content_id", sortedSet(contents), func(id int64, v []driver.Value) {
		if b, ok := v[1].([]byte); ok {
			found[id] = append(found[id], string(b))
		}
	})
	return found, err
}

// same reports whether two contents differ in noise alone.
func (e essences) same(a, b int64) bool {
	for _, x := range e[a] {
		for _, y := range e[b] {
			if x == y {
				return true
			}
		}
	}
	return false
}

// markCosmetic finds, among modified contents, those that differ in noise alone.
func (r *Result) markCosmetic(ctx context.Context) error {
	var contents []int64
	r.each(Modified, func(_ *pair, a, b int64) { contents = append(contents, a, b) })
	if contents == nil {
		return nil
	}
	e, err := loadEssences(ctx, r.db, contents)
	if err != nil || len(e) == 0 {
		return err
	}
	r.each(Modified, func(p *pair, a, b int64) {
		if e.same(a, b) {
			p.what = p.what&^Modified | Cosmetic
		}
	})
	return nil
}

// each calls do for the pairs of some kinds whose contents are known and differ.
func (r *Result) each(kinds Kind, do func(p *pair, old, new int64)) {
	for i := range r.pairs {
		p := &r.pairs[i]
		if p.what&kinds == 0 || p.old < 0 || p.new < 0 {
			continue
		}
		if a, b := r.old.rows[p.old].content, r.new.rows[p.new].content; a != 0 && b != 0 {
			do(p, a, b)
		}
	}
}
