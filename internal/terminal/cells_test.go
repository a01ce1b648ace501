package terminal_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/internal/terminal"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "日本": 4, "e\u0301": 1, "🇩🇪": 2, "ﾊﾝ": 2, "…": 1, "│": 1} {
		if got := terminal.Width(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"short", 5, "short"},
		{"a longer text", 8, "a longe…"},
		{"Game/Content/Maps/Arena.umap", 20, "Game/Con…/Arena.umap"},
		{"Game/Content/Maps/Arena.umap", 27, "Game/Content/…ps/Arena.umap"},
		{`Game\Content\Maps\Arena.umap`, 20, `Game\Con…\Arena.umap`},
		{"Game/a name that is far too long.umap", 20, "Game/a …oo long.umap"},
		{"Game/Content/Maps/Arena.umap", 8, "Game/Co…"}, // too narrow for both ends
		{"Game/Maps/ABrokenArena.umap", 20, "G…/ABrokenArena.umap"},
		{"日本語のファイル", 6, "日本…"}, // half of a character is none
		{"x", 0, ""},
	} {
		if got := terminal.Shorten(c.s, c.n); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

func TestShortenProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab/é日\u0301🇩🇪 "))).Draw(t, "text")
		n := rapid.IntRange(0, 60).Draw(t, "cells")
		got := terminal.Shorten(s, n)
		switch fits := terminal.Width(s) <= n; {
		case terminal.Width(got) > n:
			t.Fatalf("%q has %d cells, want %d", got, terminal.Width(got), n)
		case fits && got != s:
			t.Fatalf("%q fits, and became %q", s, got)
		}
		if head, tail, cut := strings.Cut(got, "…"); cut && (!strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail)) {
			t.Fatalf("%q does not begin and end as %q", got, s)
		}
	})
}

func TestFitShrinksTheWidestFirst(t *testing.T) {
	for _, c := range []struct {
		total               int
		widths, least, want []int
	}{
		{30, []int{10, 10, 10}, []int{5, 5, 5}, []int{10, 10, 10}},
		{29, []int{10, 10, 10}, []int{5, 5, 5}, []int{10, 10, 9}},
		{30, []int{5, 40, 10}, []int{5, 8, 8}, []int{5, 15, 10}},
		{30, []int{5, 40, 50}, []int{5, 8, 8}, []int{5, 13, 12}},
		{30, []int{20, 40, 50}, []int{20, 5, 5}, []int{20, 5, 5}},
		{29, []int{20, 40, 50}, []int{20, 5, 5}, nil},
	} {
		got := slices.Clone(c.widths)
		if ok := terminal.Fit(c.total, got, c.least); ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%v in %d: %v %v, want %v", c.widths, c.total, got, ok, c.want)
		}
	}
}

func TestFitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		widths := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 12).Draw(t, "widths")
		least := make([]int, len(widths))
		for i, w := range widths {
			least[i] = rapid.IntRange(0, w).Draw(t, "least")
		}
		total := rapid.IntRange(-5, 3000).Draw(t, "total")
		got, sum := slices.Clone(widths), 0
		ok := terminal.Fit(total, got, least)
		for i := range got {
			if sum += got[i]; got[i] > widths[i] || got[i] < least[i] {
				t.Fatalf("%v of %v, at least %v", got, widths, least)
			}
		}
		if ok != (sum <= total) {
			t.Fatalf("%v: %v add up to %d, want %d", ok, got, sum, total)
		}
	})
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"one two three", 0, 4, "one two three"},
		{"one two three four five", 24, 4, "one two three four\n    five"},
		{"one two three", 10, 4, "one two three"}, // no room beside the indentation
		{"averyverylongwordindeed x", 20, 2, "averyverylongwordindeed\n  x"},
	} {
		if got := terminal.Wrap(c.text, c.width, c.indent); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
