package diff

import (
	"context"
	"database/sql/driver"

	"pakdb/internal/sketch"
	"pakdb/schema"
)

// estimate computes what must be fetched for each pair: nothing for contents
// that the old build has anywhere, the stored size of others, once each; of
// modified contents with sketches the share of new chunks.
func (r *Result) estimate(ctx context.Context) error {
	r.download = make([]int64, len(r.pairs))
	var wanted, sketched []int64
	for _, p := range r.pairs {
		if p.new < 0 || p.what&(Added|Modified) == 0 {
			continue
		}
		content := r.new.rows[p.new].content
		wanted = append(wanted, content)
		if p.old >= 0 {
			sketched = append(sketched, content, r.old.rows[p.old].content)
		}
	}
	held, err := r.heldByOld(ctx, sortedSet(wanted))
	if err != nil {
		return err
	}
	known, err := loadSketches(ctx, r.db, sketched)
	if err != nil {
		return err
	}
	for i := range r.pairs {
		p := &r.pairs[i]
		p.similarity = r.similarity(p, known)
		if p.new < 0 || p.what&(Added|Modified) == 0 {
			continue
		}
		b := &r.new.rows[p.new]
		if b.content != 0 {
			if held[b.content] {
				continue
			}
			held[b.content] = true
		}
		r.download[i] = b.stored
		if p.old >= 0 {
			a := &r.old.rows[p.old]
			if x, y := known[a.content], known[b.content]; x != nil && y != nil {
				r.download[i] = int64((1 - sketch.Kept(x, y, a.size, b.size)) * float64(b.stored))
			}
		}
	}
	return nil
}

// similarity is 100 for the same content, and what sketches say for others.
func (r *Result) similarity(p *pair, known map[int64]sketch.Sketch) uint8 {
	if p.old < 0 || p.new < 0 {
		return 0
	}
	a, b := r.old.rows[p.old].content, r.new.rows[p.new].content
	if a == b && a != 0 {
		return 100
	}
	if x, y := known[a], known[b]; x != nil && y != nil {
		return uint8(min(99, 100*sketch.Common(x, y)+0.5))
	}
	return 0
}

// heldByOld returns which of the contents the old build has, in archives that
// were passed over as well.
func (r *Result) heldByOld(ctx context.Context, contents []int64) (map[int64]bool, error) {
	held := make(map[int64]bool, len(contents))
	all := true
	for i := range r.old.archives {
		all = all && r.old.archives[i].loaded && !r.old.archives[i].akin
	}
	if all {
		for _, id := range contents {
			held[id] = false
		}
		for i := range r.old.rows {
			if _, wanted := held[r.old.rows[i].content]; wanted {
				held[r.old.rows[i].content] = true
			}
		}
		return held, nil
	}
	return held, batches(contents, func(ids []int64) error {
		return schema.EachRow(ctx, r.db, contentsHeld, []driver.Value{r.old.id, jsonInts(ids)}, func(v []driver.Value) { held[integer(v[0])] = true })
	})
}
