package part_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pakdb/diff/store/part"
)

func TestCheck(t *testing.T) {
	many := part.List{}
	for i := range part.Most + 1 {
		many = append(many, part.Part{Name: fmt.Sprint("p", i), Files: []int{i, 1}})
	}
	long := part.Part{Name: "long"}
	for i := range part.MostRuns + 1 {
		long.Add(2 * i)
	}
	for name, c := range map[string]struct {
		list part.List
		ok   bool
	}{
		"none":              {nil, true},
		"two, overlapping":  {part.List{{Name: "a", Files: []int{0, 3}}, {Name: "b", Files: []int{1, 1, 5, 2}}}, true},
		"no name":           {part.List{{Files: []int{0, 1}}}, false},
		"a path":            {part.List{{Name: "a/b", Files: []int{0, 1}}}, false},
		"a backslash":       {part.List{{Name: `a\b`, Files: []int{0, 1}}}, false},
		"two dots":          {part.List{{Name: "..", Files: []int{0, 1}}}, false},
		"control character": {part.List{{Name: "a\x1b[2J", Files: []int{0, 1}}}, false},
		"a comma":           {part.List{{Name: "a,b", Files: []int{0, 1}}}, false},
		"a flag":            {part.List{{Name: "-a", Files: []int{0, 1}}}, false},
		"all":               {part.List{{Name: "All", Files: []int{0, 1}}}, false},
		"too long a name":   {part.List{{Name: strings.Repeat("a", 101), Files: []int{0, 1}}}, false},
		"twice":             {part.List{{Name: "a", Files: []int{0, 1}}, {Name: "a", Files: []int{1, 1}}}, false},
		"twice but case":    {part.List{{Name: "a", Files: []int{0, 1}}, {Name: "A", Files: []int{1, 1}}}, false},
		"too many":          {many, false},
		"the most":          {many[:part.Most], true},
		"too many runs":     {part.List{long}, false},
		"no files":          {part.List{{Name: "a"}}, false},
		"half a run":        {part.List{{Name: "a", Files: []int{0}}}, false},
		"an empty run":      {part.List{{Name: "a", Files: []int{0, 0}}}, false},
		"below zero":        {part.List{{Name: "a", Files: []int{-1, 1}}}, false},
		"backwards":         {part.List{{Name: "a", Files: []int{5, 1, 0, 1}}}, false},
		"runs that touch":   {part.List{{Name: "a", Files: []int{0, 2, 2, 1}}}, false},
		"beyond all bounds": {part.List{{Name: "a", Files: []int{0, 1 << 62, 1, 1}}}, false},
	} {
		if err := c.list.Check(); (err == nil) != c.ok || err != nil && !errors.Is(err, part.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	two := part.List{{Name: "a", Files: []int{0, 3}}, {Name: "b", Files: []int{1, 1, 5, 2}}}
	if err := errors.Join(two.Fits(7), two.Fits(8)); err != nil {
		t.Error(err)
	}
	if err := two.Fits(6); !errors.Is(err, part.ErrInvalid) {
		t.Errorf("a file that the build has not: %v", err)
	}
}

// A file in two parts stays if one of them is wanted.
func TestLeftOut(t *testing.T) {
	l := part.List{{Name: "fr"}, {Name: "de"}}
	for _, i := range []int{1, 2, 4} {
		l[0].Add(i)
	}
	for _, i := range []int{2, 3} {
		l[1].Add(i)
	}
	if want := []int{1, 2, 4, 1}; !reflect.DeepEqual(l[0].Files, want) {
		t.Errorf("runs %v, want %v", l[0].Files, want)
	}
	for _, c := range []struct {
		choice part.Choice
		want   string // of six files
	}{
		{part.Choice{}, "......"},
		{part.Choice{Without: []string{"fr"}}, ".x..x."},
		{part.Choice{Without: []string{"de"}}, "...x.."},
		{part.Choice{Without: []string{"all"}}, ".xxxx."},
		{part.Choice{Without: []string{"all"}, With: []string{"de"}}, ".x..x."},
	} {
		got := ""
		for _, left := range l.LeftOut(6, c.choice) {
			got += map[bool]string{true: "x", false: "."}[left]
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.choice, got, c.want)
		}
	}
}

func TestChange(t *testing.T) {
	l := part.List{{Name: "fr"}, {Name: "de"}, {Name: "dlc1"}}
	list := strings.Fields
	choice := func(with, without string) part.Choice { return part.Choice{With: list(with), Without: list(without)} }
	for _, c := range []struct {
		from, by, want part.Choice
		err            error
	}{
		{choice("", ""), choice("", "de"), choice("", "de"), nil},
		{choice("", "de"), choice("", ""), choice("", "de"), nil},
		{choice("", "de"), choice("de", "fr"), choice("de", "fr"), nil},
		{choice("", "de"), choice("fr", "all"), choice("fr", "all"), nil},
		{choice("fr", "all"), choice("dlc1", "fr"), choice("dlc1", "all fr"), nil},
		{choice("fr", "all"), choice("all", ""), choice("", ""), nil},
		{choice("fr", "all"), choice("all", "de"), choice("", "de"), nil},
		{choice("", "gone"), choice("", "gone"), choice("", "gone"), nil},
		{choice("", "gone"), choice("gone", ""), choice("gone", ""), nil},
		{choice("", ""), choice("", "gone"), choice("", ""), part.ErrUnknown},
		{choice("", ""), choice("FR", ""), choice("", ""), part.ErrUnknown},
		{choice("", ""), choice("fr", "fr"), choice("", ""), part.ErrChoice},
		{choice("", ""), choice("all", "all"), choice("", ""), part.ErrChoice},
		{choice("", ""), part.Choice{With: []string{""}}, choice("", ""), part.ErrChoice},
		{choice("", ""), choice("../x", ""), choice("", ""), part.ErrChoice},
	} {
		got, err := c.from.Change(c.by, l)
		if !errors.Is(err, c.err) || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v by %v: %v, %v; want %v", c.from, c.by, got, err, c.want)
		}
	}
	if got := choice("x", "all de y").Gone(l); fmt.Sprint(got) != "[x y]" {
		t.Errorf("gone: %v", got)
	}
}
