package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pakdb/diff/ship/store"
)

func TestCheckPart(t *testing.T) {
	many := store.Parts{}
	for i := range store.MostParts + 1 {
		many = append(many, store.Optional{Name: fmt.Sprint("p", i), Files: []int{i, 1}})
	}
	long := store.Optional{Name: "long"}
	for i := range store.MostPartRuns + 1 {
		long.Add(2 * i)
	}
	for name, c := range map[string]struct {
		list store.Parts
		ok   bool
	}{
		"none":              {nil, true},
		"two, overlapping":  {store.Parts{{Name: "a", Files: []int{0, 3}}, {Name: "b", Files: []int{1, 1, 5, 2}}}, true},
		"no name":           {store.Parts{{Files: []int{0, 1}}}, false},
		"a path":            {store.Parts{{Name: "a/b", Files: []int{0, 1}}}, false},
		"a backslash":       {store.Parts{{Name: `a\b`, Files: []int{0, 1}}}, false},
		"two dots":          {store.Parts{{Name: "..", Files: []int{0, 1}}}, false},
		"control character": {store.Parts{{Name: "a\x1b[2J", Files: []int{0, 1}}}, false},
		"a comma":           {store.Parts{{Name: "a,b", Files: []int{0, 1}}}, false},
		"a flag":            {store.Parts{{Name: "-a", Files: []int{0, 1}}}, false},
		"all":               {store.Parts{{Name: "All", Files: []int{0, 1}}}, false},
		"too long a name":   {store.Parts{{Name: strings.Repeat("a", 101), Files: []int{0, 1}}}, false},
		"twice":             {store.Parts{{Name: "a", Files: []int{0, 1}}, {Name: "a", Files: []int{1, 1}}}, false},
		"twice but case":    {store.Parts{{Name: "a", Files: []int{0, 1}}, {Name: "A", Files: []int{1, 1}}}, false},
		"too many":          {many, false},
		"the most":          {many[:store.MostParts], true},
		"too many runs":     {store.Parts{long}, false},
		"no files":          {store.Parts{{Name: "a"}}, false},
		"half a run":        {store.Parts{{Name: "a", Files: []int{0}}}, false},
		"an empty run":      {store.Parts{{Name: "a", Files: []int{0, 0}}}, false},
		"below zero":        {store.Parts{{Name: "a", Files: []int{-1, 1}}}, false},
		"backwards":         {store.Parts{{Name: "a", Files: []int{5, 1, 0, 1}}}, false},
		"runs that touch":   {store.Parts{{Name: "a", Files: []int{0, 2, 2, 1}}}, false},
		"beyond all bounds": {store.Parts{{Name: "a", Files: []int{0, 1 << 62, 1, 1}}}, false},
	} {
		if err := c.list.Check(); (err == nil) != c.ok || err != nil && !errors.Is(err, store.ErrPart) {
			t.Errorf("%s: %v", name, err)
		}
	}
	two := store.Parts{{Name: "a", Files: []int{0, 3}}, {Name: "b", Files: []int{1, 1, 5, 2}}}
	if err := errors.Join(two.Fits(7), two.Fits(8)); err != nil {
		t.Error(err)
	}
	if err := two.Fits(6); !errors.Is(err, store.ErrPart) {
		t.Errorf("a file that the build has not: %v", err)
	}
}

// A file in two parts stays if one of them is wanted.
func TestLeftOut(t *testing.T) {
	l := store.Parts{{Name: "fr"}, {Name: "de"}}
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
		choice store.PartChoice
		want   string // of six files
	}{
		{store.PartChoice{}, "......"},
		{store.PartChoice{Without: []string{"fr"}}, ".x..x."},
		{store.PartChoice{Without: []string{"de"}}, "...x.."},
		{store.PartChoice{Without: []string{"all"}}, ".xxxx."},
		{store.PartChoice{Without: []string{"all"}, With: []string{"de"}}, ".x..x."},
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
	l := store.Parts{{Name: "fr"}, {Name: "de"}, {Name: "dlc1"}}
	list := strings.Fields
	choice := func(with, without string) store.PartChoice {
		return store.PartChoice{With: list(with), Without: list(without)}
	}
	for _, c := range []struct {
		from, by, want store.PartChoice
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
		{choice("", ""), choice("", "gone"), choice("", ""), store.ErrUnknownPart},
		{choice("", ""), choice("FR", ""), choice("", ""), store.ErrUnknownPart},
		{choice("", ""), choice("fr", "fr"), choice("", ""), store.ErrPartChoice},
		{choice("", ""), choice("all", "all"), choice("", ""), store.ErrPartChoice},
		{choice("", ""), store.PartChoice{With: []string{""}}, choice("", ""), store.ErrPartChoice},
		{choice("", ""), choice("../x", ""), choice("", ""), store.ErrPartChoice},
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
