package match

import (
	"pakdb/diff/internal/side"
)

// merged is what merging the rows of two sides yields.
type merged struct {
	pairs   []Pair  // what differs
	order   *orders // where entries of both sides lie
	unknown []int32 // rows of the new side that could not be compared
}

// merge walks both sides in the order of their keys and keeps the pairs that
// differ, in content or in how they are stored.
func merge(s *side.Sides) *merged {
	a, b := s.Old.Rows, s.New.Rows
	m := &merged{pairs: make([]Pair, 0, countPairs(s)), order: &orders{steps: make([]step, 0, min(len(a), len(b)))}}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		c := 0
		switch {
		case i == len(a):
			c = 1
		case j == len(b):
			c = -1
		default:
			c = side.CompareKeys(&a[i], &b[j])
		}
		switch {
		case c < 0:
			m.pairs = append(m.pairs, Pair{Old: int32(i), New: -1, What: Removed})
			i++
		case c > 0:
			m.pairs = append(m.pairs, Pair{Old: -1, New: int32(j), What: Added})
			j++
		default:
			p := Pair{Old: int32(i), New: int32(j)}
			judge(s, &p)
			m.order.add(s, p)
			if p.What != 0 {
				m.pairs = append(m.pairs, p)
			}
			if (a[i].Content == 0 || b[j].Content == 0) && p.What&Modified == 0 && !a[i].Deleted() {
				m.unknown = append(m.unknown, int32(j))
			}
			i, j = i+1, j+1
		}
	}
	return m
}

// countPairs returns how many pairs merge is going to keep: growing to two million
// would take three times their memory.
func countPairs(s *side.Sides) (n int) {
	a, b := s.Old.Rows, s.New.Rows
	for i, j := 0, 0; i < len(a) || j < len(b); {
		c := 1
		switch {
		case i == len(a):
		case j == len(b):
			c = -1
		default:
			c = side.CompareKeys(&a[i], &b[j])
		}
		if c != 0 || a[i].Content != b[j].Content || a[i].Stored != b[j].Stored {
			n++
		}
		if c <= 0 {
			i++
		}
		if c >= 0 {
			j++
		}
	}
	return n
}

// flagsApart are those whose difference is shown otherwise: encrypted with how an entry
// is stored; and a chunk that lost its path by the path.
const flagsApart = 1 | 16

// judge sets what differs between the two sides of p, beside what is known of it.
func judge(s *side.Sides, p *Pair) {
	a, b := &s.Old.Rows[p.Old], &s.New.Rows[p.New]
	known := p.What & (Renamed | Moved)
	p.What, p.Notes = known, p.Notes&(Order|Names|Record)
	if contentDiffers(a, b) {
		p.What |= Modified
	} else if a.Stored != b.Stored || a.Method() != b.Method() || a.Flags()&1 != b.Flags()&1 {
		p.What |= Restored
	}
	if s.Old.Archives[a.Archive].Group != s.New.Archives[b.Archive].Group {
		p.What |= Moved
	}
	if a.Copies != b.Copies {
		p.What |= Copies
	}
	if a.Flags()&^flagsApart != b.Flags()&^flagsApart {
		p.Notes |= Flags
	}
	if a.Kind() != b.Kind() {
		p.Notes |= Type
	}
	if s.Old.Times != nil && s.New.Times != nil && s.Old.Times[a.Seq] != s.New.Times[b.Seq] {
		p.Notes |= Time
	}
	if p.Notes&^Record != 0 || p.Notes != 0 && a.Key == b.Key { // of a rename the note is about the path
		p.What |= Metadata
	}
}

// contentDiffers counts on sizes where a content is not known.
func contentDiffers(a, b *side.Row) bool {
	if a.Content != 0 && b.Content != 0 {
		return a.Content != b.Content
	}
	return a.Size != b.Size
}
