package diff

import (
	"fmt"
	"strings"

	"pakdb/diff/internal/match"
)

// notes returns in words what differs in the metadata of a pair.
func notes(found *match.Outcome, p *match.Pair) (notes []string) {
	for _, n := range []struct {
		note match.Note
		text string
	}{{match.Flags, "flags"}, {match.Type, "type"}, {match.Order, "order"}, {match.Time, "time"}} {
		if p.Notes&n.note != 0 {
			notes = append(notes, n.text)
		}
	}
	if p.Notes&match.Names != 0 {
		n := found.Public[found.Sides.New.Rows[p.New].Path]
		notes = append(notes, fmt.Sprintf("names: %s -> %s", list(n[0]), list(n[1])))
	}
	if p.Notes&match.Record != 0 {
		notes = append(notes, recordNotes(found, p)...)
	}
	return notes
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// recordNotes returns which records the path of a pair was and is of.
func recordNotes(found *match.Outcome, p *match.Pair) (notes []string) {
	old, new := int64(0), int64(0) // path_ids
	if p.Old >= 0 {
		old = found.Sides.Old.Rows[p.Old].Path
	}
	if p.New >= 0 {
		new = found.Sides.New.Rows[p.New].Path
	}
	if p.Old >= 0 && p.New >= 0 && old == new {
		t := found.Taken[new]
		return []string{fmt.Sprintf("record: %s -> %s", t.Old, t.New)}
	}
	if t, ok := found.Taken[new]; ok && p.New >= 0 {
		notes = append(notes, fmt.Sprintf("path was that of record %s", t.Old))
	}
	if t, ok := found.Taken[old]; ok && p.Old >= 0 {
		notes = append(notes, fmt.Sprintf("path is now that of record %s", t.New))
	}
	return notes
}
