package apply

import (
	"fmt"

	"pakdb/diff/pkdelta"
)

// bill adds up what an update of files that are there will write.
func (a *applier) bill() (b Bill) {
	var list []action // as they will be, but for places
	journal := a.journalSpool()
	data := journal.Size
	for _, c := range a.creations() {
		b.Write += c.after.Size
		list = append(list, c)
	}
	for _, p := range a.placed {
		if p.note != "" {
			b.Notes = append(b.Notes, p.note)
		}
		switch {
		case p.whole:
			b.Write += p.Size
			list = append(list, action{kind: actCreate, name: p.Name, temp: a.tempName(p.Name), after: p.File})
		case p.grown != nil:
			b.grow(p)
			data += int64(len(p.grown.footer) + len(recordMagic))
			list = append(list, action{kind: actGrow, name: p.Name, pieces: make([]piece, 1)})
		default:
			act := action{kind: actChange, name: p.Name, before: p.before, after: p.File}
			changed := int64(0)
			for _, r := range p.runs {
				changed += r.N
				if r.Src != journal.Part {
					data += r.N
				}
				act.pieces = append(act.pieces, piece{off: r.At, n: r.N})
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
	if a.spool.F != nil && journal != a.spool {
		b.Write += a.spool.Size
	}
	if a.o.Undo != "" {
		b.Write += undoSize(list)
	}
	b.Need += b.Write
	if whole := pkdelta.SizeOf(a.H.New); a.o.Mode == InPlace && b.Write > whole {
		b.Notes = append(b.Notes, fmt.Sprintf("most of the files moves; making them anew, not in place, would write %d bytes", whole))
	}
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
