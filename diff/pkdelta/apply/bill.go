package apply

import (
	"fmt"

	"pakdb/diff/pkdelta"
)

// bill adds up what an update of files that are there will write.
func (r *replacing) bill() (b Bill) {
	var list []action // as they will be, but for places
	journal := r.journalSpool()
	data := journal.Size
	for _, c := range r.s.creations() {
		b.Write += c.after.Size
		list = append(list, c)
	}
	for _, p := range r.list {
		if p.note != "" {
			b.Notes = append(b.Notes, p.note)
		}
		switch {
		case p.whole:
			b.Write += p.Size
			list = append(list, action{kind: actCreate, name: p.Name, temp: r.s.tempName(p.Name), after: p.File})
		case p.grown != nil:
			b.grow(p)
			data += int64(len(p.grown.footer) + len(recordMagic))
			list = append(list, action{kind: actGrow, name: p.Name, pieces: make([]piece, 1)})
		default:
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
			b.Need -= changed - max(0, p.Size-p.before.Size) // written over what is there
			list = append(list, act)
		}
	}
	if len(list) > 0 {
		b.Write += data + int64(len(journalMagic)+len(marshalActions(list, 0))+len(pkdelta.Sum{}))
	}
	if r.spool.F != nil && journal != r.spool {
		b.Write += r.spool.Size
	}
	if r.o.Undo != "" {
		b.Write += undoSize(list)
	}
	b.Need += b.Write
	return b
}

// grow adds an archive that is appended to.
func (b *Bill) grow(p *replaced) {
	g := p.grown
	cut := action{kind: actCut, name: p.Name}
	b.Write += g.size() + int64(len(journalMagic)+len(marshalActions([]action{cut}, 0))+len(pkdelta.Sum{}))
	b.Tail += g.result.Size() - g.from
	b.Stay += g.from
	b.Dead += g.dead
	if g.sealed {
		b.Notes = append(b.Notes, fmt.Sprintf("%s no longer fits: it signs the old bytes of %s", pkdelta.Printable(signatureOf(p.Name)), pkdelta.Printable(p.Name)))
	}
}
