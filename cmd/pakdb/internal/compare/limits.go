package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/internal/glob"
)

// figure is a number about a comparison.
type figure struct {
	name     string
	bytes    bool // else a count
	contents bool // an entry that could not be compared may add to it
	value    func(*diff.Totals) int64
}

// figures returns all figures, in the order in which they are documented.
func figures() []figure {
	count := func(k diff.Kind) figure {
		return figure{k.String(), false, k == diff.Modified, func(t *diff.Totals) int64 { return t.Get(k.String()).Count }}
	}
	return []figure{
		{"download", true, true, func(t *diff.Totals) int64 { return t.All.Download }},
		{"size", true, false, func(t *diff.Totals) int64 { return t.All.NewSize - t.All.OldSize }},
		{"stored", true, false, func(t *diff.Totals) int64 { return t.All.NewStored - t.All.OldStored }},
		{"changes", false, true, func(t *diff.Totals) int64 { return t.All.Count }},
		count(diff.Added),
		count(diff.Removed),
		count(diff.Renamed),
		count(diff.Modified),
	}
}

// figureNames returns the names of the figures.
func figureNames() (names []string) {
	for _, f := range figures() {
		names = append(names, f.name)
	}
	return names
}

// limit bounds a figure.
type limit struct {
	figure
	most int64
	text string // as it was given
}

// parseLimits reads FIGURE=LIMIT from each text. size reads a number of bytes. The error wraps
// [cli.ErrUsage].
func parseLimits(texts []string, size func(string) (int64, error)) (limits []limit, err error) {
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%w: %q is not FIGURE=LIMIT", cli.ErrUsage, text)
		}
		l := limit{text: value}
		if l.figure, err = findFigure(name); err != nil {
			return nil, err
		}
		for _, other := range limits {
			if other.name == name {
				return nil, fmt.Errorf("%w: %s is limited twice", cli.ErrUsage, name)
			}
		}
		if l.most, err = l.parse(value, size); err != nil {
			return nil, err
		}
		limits = append(limits, l)
	}
	return limits, nil
}

func findFigure(name string) (figure, error) {
	for _, f := range figures() {
		if f.name == name {
			return f, nil
		}
	}
	err := fmt.Errorf("%w: no figure %q: want one of %s", cli.ErrUsage, name, strings.Join(figureNames(), ", "))
	return figure{}, cli.WithHint(err, glob.NearestHint(glob.Nearest(name, figureNames())))
}

func (f *figure) parse(text string, size func(string) (int64, error)) (int64, error) {
	if f.bytes && text != "0" {
		n, err := size(text)
		if err != nil {
			return 0, fmt.Errorf("%w: %s: %w", cli.ErrUsage, f.name, err)
		}
		return n, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: %s: %q is no count: want a number, as 200", cli.ErrUsage, f.name, text)
	}
	return n, nil
}

// needContents reports whether a figure that is limited may be more than it seems where
// entries could not be compared.
func needContents(limits []limit) bool {
	return slices.ContainsFunc(limits, func(l limit) bool { return l.contents })
}

// exceeded returns a line for each limit that the totals by kind exceed, which names
// the figure, its value and the limit. size writes a number of bytes.
func exceeded(limits []limit, t *diff.Totals, size func(int64) string) (lines []string) {
	for _, l := range limits {
		n := l.value(t)
		if n <= l.most {
			continue
		}
		value := strconv.FormatInt(n, 10)
		if l.bytes {
			value = size(n)
		}
		lines = append(lines, fmt.Sprintf("%s is %s, above the limit of %s", l.name, value, l.text))
	}
	return lines
}
