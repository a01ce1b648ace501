package house_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The limits of a type and of a package. Beyond them a reader has to hold too much
// in mind: files and functions were bounded first, and what did not fit went into
// wide types and large packages.
var limits = []limit{
	{"methods of a type", 30, 1, methodsOf},
	{"depth of embedding", 2, 1, depths},
	{"names usable unqualified in a method", 60, 1, widths},
	{"files of a package", 25, 1, filesOf},
	{"percent of references against the reading order", 9, 5, against}, // below 10 %
}

type limit struct {
	of       string
	most     int
	rounding int // an exception may be less than this above its figure, so that a fix of some lines fits
	measure  func(*survey) map[string]int
}

// TestTypesAndPackagesAreBounded compares each type and package with the limits and
// with the exceptions from them. With -v it tells the greatest figures.
func TestTypesAndPackagesAreBounded(t *testing.T) {
	s := surveyOf(t)
	for _, l := range limits {
		figures := l.measure(s)
		if len(figures) == 0 {
			t.Errorf("%s: nothing was measured", l.of)
		}
		for _, problem := range l.check(figures, exceptions[l.of]) {
			t.Error(problem)
		}
		t.Logf("%s, at most %d: %s", l.of, l.most, greatest(figures, l.most))
	}
	for of := range exceptions {
		if !slices.ContainsFunc(limits, func(l limit) bool { return l.of == of }) {
			t.Errorf("exceptions from %q, which is no limit", of)
		}
	}
}

// check returns what is beyond the limit and its exceptions, and the exceptions
// that allow more than they need to.
func (l limit) check(figures, excepted map[string]int) (problems []string) {
	for _, subject := range slices.Sorted(maps.Keys(figures)) {
		figure := figures[subject]
		most, ok := excepted[subject]
		switch {
		case ok && figure <= l.most:
			problems = append(problems, fmt.Sprintf("%s: %s has %d, and needs no exception from %d: remove it", l.of, subject, figure, l.most))
		case ok && figure > most:
			problems = append(problems, fmt.Sprintf("%s: %s has %d, the exception is %d and may only shrink", l.of, subject, figure, most))
		case ok && figure <= most-l.rounding:
			problems = append(problems, fmt.Sprintf("%s: %s has only %d now: shrink its exception from %d", l.of, subject, figure, most))
		case !ok && figure > l.most:
			problems = append(problems, fmt.Sprintf("%s: %s has %d, at most %d are allowed", l.of, subject, figure, l.most))
		}
	}
	for subject := range excepted {
		if _, ok := figures[subject]; !ok {
			problems = append(problems, fmt.Sprintf("%s: there is no %s: remove its exception", l.of, subject))
		}
	}
	return problems
}

// greatest says how many figures are beyond the limit, and names the largest.
func greatest(figures map[string]int, most int) string {
	subjects := slices.SortedFunc(maps.Keys(figures), func(a, b string) int {
		return cmp.Or(figures[b]-figures[a], strings.Compare(a, b))
	})
	beyond := 0
	var named []string
	for i, s := range subjects {
		if figures[s] > most {
			beyond++
		}
		if i < 5 || testing.Verbose() && figures[s] > most {
			named = append(named, fmt.Sprintf("%s %d", s, figures[s]))
		}
	}
	return fmt.Sprintf("%d of %d beyond: %s", beyond, len(subjects), strings.Join(named, ", "))
}

// TestExceptionsOnlyShrink: the check must fail for each way in which a figure and
// its exception disagree.
func TestExceptionsOnlyShrink(t *testing.T) {
	for _, c := range []struct {
		name             string
		figure, excepted int // 0: none
		rounding         int
		want             string
	}{
		{"within the limit", 30, 0, 1, ""},
		{"beyond the limit", 31, 0, 1, "a has 31, at most 30"},
		{"excepted", 35, 35, 1, ""},
		{"grown", 36, 35, 1, "may only shrink"},
		{"shrunk", 34, 35, 1, "shrink its exception"},
		{"shrunk, not by a round figure", 101, 200, 100, ""},
		{"shrunk by a round figure", 100, 200, 100, "shrink its exception"},
		{"not needed", 30, 31, 1, "remove it"},
		{"removed", 0, 31, 1, "there is no a"},
	} {
		figures, excepted := map[string]int{}, map[string]int{}
		if c.figure > 0 {
			figures["a"] = c.figure
		}
		if c.excepted > 0 {
			excepted["a"] = c.excepted
		}
		got := strings.Join(limit{"things", 30, c.rounding, nil}.check(figures, excepted), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func filesOf(s *survey) map[string]int {
	figures := map[string]int{}
	for room, files := range s.files {
		figures[room] = len(files)
	}
	return figures
}

// typed returns a figure for each type.
func typed(s *survey, figure func(*typ) int) map[string]int {
	figures := map[string]int{}
	for room, types := range s.types {
		for name, typ := range types {
			figures[room+"."+name] = figure(typ)
		}
	}
	return figures
}

func methodsOf(s *survey) map[string]int {
	return typed(s, func(t *typ) int {
		if _, ok := t.expr.(*ast.InterfaceType); ok {
			return len(s.names(t))
		}
		return len(t.methods)
	})
}

func depths(s *survey) map[string]int { return typed(s, s.depth) }

func widths(s *survey) map[string]int {
	return typed(s, func(t *typ) int {
		if len(t.methods) == 0 {
			return 0 // no method from which to use a name
		}
		return len(s.names(t))
	})
}
