package overlay_test

import (
	"errors"
	"slices"
	"testing"

	"pakdb/diff/ship/overlay"
	"pakdb/internal/glob"
)

func TestChoice(t *testing.T) {
	for _, c := range []struct {
		name          string
		only, exclude []string
		sql           []string // nil: no SQL
		want          []string
	}{
		{"everything", nil, nil, nil, []string{"A/One.uasset", "A/Two.txt", "B/Three.txt"}},
		{"a pattern", []string{"a/**"}, nil, nil, []string{"A/One.uasset", "A/Two.txt"}},
		{"a pattern that keeps out", nil, []string{"*.TXT"}, nil, []string{"A/One.uasset"}},
		{"both", []string{"A/**"}, []string{"*.txt"}, nil, []string{"A/One.uasset"}},
		{"paths", nil, nil, []string{"b/three.txt"}, []string{"B/Three.txt"}},
		{"names before the mount point", nil, nil, []string{"two.TXT"}, []string{"A/Two.txt"}},
		{"SQL without a row", nil, nil, []string{}, nil},
		{"a pattern or paths", []string{"*.uasset"}, nil, []string{"B/Three.txt"}, []string{"A/One.uasset", "B/Three.txt"}},
		{"paths that a pattern keeps out", nil, []string{"b/**"}, []string{"B/Three.txt"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			choice, err := overlay.NewChoice(c.only, c.exclude)
			if err != nil {
				t.Fatal(err)
			}
			if c.sql != nil {
				choice.AddPaths(c.sql)
			}
			var got []string
			for _, it := range []overlay.Item{
				{Path: "A/One.uasset", New: &overlay.File{Name: "One.uasset"}},
				{Path: "A/Two.txt", Old: &overlay.File{Name: "Two.txt"}},
				{Path: "B/Three.txt", Old: &overlay.File{Name: "Three.txt"}, New: &overlay.File{Name: "Three.txt"}},
			} {
				if choice.Takes(&it) {
					got = append(got, it.Path)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if _, err := overlay.NewChoice(nil, []string{"[a"}); !errors.Is(err, glob.ErrPattern) {
		t.Errorf("malformed: %v", err)
	}
}

func TestChoiceRefusesPatternsThatMatchNothing(t *testing.T) {
	stack := func(label string, names ...string) *overlay.Stack {
		s := &overlay.Stack{Label: label}
		m := &overlay.Mount{}
		for _, name := range names {
			s.Files = append(s.Files, overlay.File{Name: name, Mount: m})
		}
		return s
	}
	old, new := stack("1.0", "A/Old.txt", "A/Same.txt"), stack("1.1", "A/New.txt", "A/Same.txt")
	for _, c := range []struct{ only, exclude, want string }{
		{"a/old.txt", "a/new.txt", ""},
		{"a/nwe.txt", "a/**", `nothing in "1.0" or "1.1" matches "a/nwe.txt"`},
		{"a/**", "b/**", `nothing in "1.0" or "1.1" matches "b/**"`},
	} {
		choice, err := overlay.NewChoice([]string{c.only}, []string{c.exclude})
		if err != nil {
			t.Fatal(err)
		}
		err = choice.Check(old, new)
		var unmatched *glob.UnmatchedError
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (!errors.As(err, &unmatched) || !errors.Is(err, glob.ErrPattern)):
			t.Errorf("%+v: class of %v", c, err)
		}
	}
}
