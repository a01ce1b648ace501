package apply

import (
	"fmt"

	"pakdb/diff/ship/delta"
)

// bill adds up what an update of files that are there will write.
func (r *placed) bill() (b Bill) {
	var list []action // as they will be, but for places
	journal := r.journalSpool()
	data := journal.Size
	for _, c := range r.s.actions() {
		b.Write += c.after.Size
		list = append(list, c)
	}
	for _, p := range r.list {
		if p.f == nil {
			b.Write += p.Size
			list = append(list, action{kind: actCreate, name: p.Name, temp: r.s.tempName(p.Name), after: p.File})
			continue
		}
		act := action{kind: actChange, name: p.Name, before: p.before, after: p.File}
		changed := int64(0)
		for _, run := range p.runs {
			changed += run.N
			if run.Src != journal.Part {
				data += run.N
			}
			act.pieces = append(act.pieces, piece{off: run.At, n: run.N})
		}
		b.Write += changed
		b.Stay += p.Size - changed
		b.Need -= changed - max(0, p.Size-p.before.Size) // written over old bytes
		list = append(list, act)
	}
	if len(list) > 0 {
		b.Write += data + int64(len(journalMagic)+len(marshalActions(list, 0))+len(delta.Sum{}))
	}
	if r.spool.F != nil && journal != r.spool {
		b.Write += r.spool.Size
	}
	b.Need += b.Write
	if whole := delta.SizeOf(r.s.h.New); b.Write > whole {
		b.Notes = append(b.Notes, fmt.Sprintf("most of the files moves; making them anew, not in place, would write %d bytes", whole))
	}
	return b
}
