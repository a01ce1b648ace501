package pkg

import (
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

const (
	formatName  = "unrealpkg"
	maxFindings = 100 // of one package; what follows is counted only
)

// findings collects what contradicts the format. Layouts are chosen by them:
// hard ones mean that tables cannot be as they were read, soft ones that they
// do not lie as the engine lays them.
type findings struct {
	list       []*codecs.FormatError
	lost       int // how much could not be read at all
	hard, soft int
}

// What is lost by a layout that does not fit, from all to a table.
const (
	lostSummary = 100
	lostNames   = 10
	lostTable   = 1
)

// worse orders layouts: by what they could read, then by what contradicts it.
func (f *findings) worse(o *findings) bool {
	if f.lost != o.lost {
		return f.lost > o.lost
	}
	if f.hard != o.hard {
		return f.hard > o.hard
	}
	return f.soft > o.soft
}

func (f *findings) clean() bool { return f.hard == 0 && f.soft == 0 }

// add records a finding of class (a sentinel of codecs).
func (f *findings) add(class error, field string, off int64, format string, args ...any) {
	f.err(field, off, codecs.Errorf(class, format, args...))
}

// err records an error of any lower room, off unless it has its own.
func (f *findings) err(field string, off int64, err error) {
	var fe *codecs.FormatError
	if !errors.As(err, &fe) {
		err, off = classify(err, off)
		fe = &codecs.FormatError{Format: formatName, Field: field, Off: off, Err: err}
	}
	switch {
	case errors.Is(err, codecs.ErrNonStrict):
		f.soft++
	case errors.Is(err, errors.ErrUnsupported):
	default:
		f.hard++
	}
	if len(f.list) < maxFindings {
		f.list = append(f.list, fe)
	}
}

func classify(err error, off int64) (error, int64) {
	classified, off := codecs.Classify(err, off)
	if errors.Is(classified, unreal.ErrIndex) || errors.Is(classified, errText) {
		classified = fmt.Errorf("%w: %w", codecs.ErrCorrupt, classified)
	}
	return classified, off
}

// tally counts entries of a table that break one rule, so that a rule gives
// one finding and not one an entry.
type tally struct {
	n     int
	first int
	off   int64 // of the first one's entry
}

func (t *tally) hit(i int, off int64) {
	if t.n == 0 {
		t.first, t.off = i, off
	}
	t.n++
}

// report adds what t counted, as a finding about the first: table[i].field.
func (f *findings) report(t tally, class error, table, field string, total int, what string) {
	if t.n > 0 {
		f.add(class, fmt.Sprintf("%s[%d].%s", table, t.first, field), t.off, "%s, as in %d of %d entries", what, t.n, total)
	}
}
