package mods

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/textfile"
	"pakdb/internal/longest"
)

// mergeable reports whether [mergeFile] merges files of that name.
func mergeable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".ini", ".json", ".csv", ".locres", ".xml", ".txt", ".cfg", ".lua", ".js", ".py", ".html", ".css", ".po", ".uplugin", ".uproject", ".cs", ".usf", ".ush", ".md", ".yml", ".yaml", ".directory":
		return true
	}
	return isPrototype(name)
}

// mergeFile makes all changes that versions of a file that is no package make of base: of .ini
// by statements; of directories of Marvel Heroes' game database by records; of .locres, .json,
// .csv, .xml and prototypes by their values, where at most one version has others than the base
// has; and of other texts by lines. Ids in prototypes mean what db says. It fails with
// [property.ErrRefused] for content that is no text.
func mergeFile(name string, base []byte, versions [][]byte, db func() *Database, o MergeOptions) (*Merged, error) {
	all := append([][]byte{base}, versions...)
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".ini":
		return mergeSettings(all, o)
	case ext == ".directory":
		return mergeDirectories(name, all, o)
	case textfile.Editable(name) || isPrototype(name):
		if m, err := mergeFields(opener(name, db), all, o); m != nil || err != nil {
			return m, err
		}
	}
	if isPrototype(name) || strings.HasSuffix(strings.ToLower(name), ".locres") || slices.ContainsFunc(all, func(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }) {
		return nil, fmt.Errorf("%w: more than one version has other keys than the base", property.ErrRefused)
	}
	return mergeLines(name, all, o)
}

// opener returns what reads files of that name.
func opener(name string, db func() *Database) func([]byte) (fielded, error) {
	if isPrototype(name) {
		return func(b []byte) (fielded, error) { return openPrototype(name, b, db(), true) }
	}
	return func(b []byte) (fielded, error) { return openTexts(name, b) }
}

// fielded is a file of values that are set by their names.
type fielded interface {
	Fields() []string
	Shown(field string) string
	Set(object, field, value string) error
	around() string // what the values lie in
	Files(ctx context.Context) (content, _ []byte, err error)
}

// valuesOf returns the values by their names; once is false if two have one name.
func valuesOf(f fielded) (values map[string]string, once bool) {
	values = map[string]string{}
	for _, field := range f.Fields() {
		if _, twice := values[field]; twice {
			return nil, false
		}
		values[field] = f.Shown(field)
	}
	return values, true
}

// mergeFields merges by values. It returns nil where that cannot be done.
func mergeFields(open func([]byte) (fielded, error), all [][]byte, o MergeOptions) (*Merged, error) {
	values := make([]map[string]string, len(all))
	fields := map[string]bool{}
	frame, others, around := 0, 0, ""
	for i, b := range all {
		f, err := open(b)
		if err != nil {
			return nil, nil
		}
		once := false
		if values[i], once = valuesOf(f); !once {
			return nil, nil
		}
		if i == 0 {
			around = f.around()
		}
		same := len(values[i]) == len(values[0]) && f.around() == around
		for field := range values[i] {
			_, known := values[0][field]
			fields[field], same = true, same && known
		}
		if !same {
			frame, others = i, others+1
		}
	}
	if others > 1 {
		return nil, nil
	}
	m := &merger{o: o, all: make([]*version, len(all))}
	if others == 0 {
		frame = m.order()[0]
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		canon := make([]string, len(all))
		for i := range all {
			if v, ok := values[i][field]; ok {
				canon[i] = "=" + v
			}
		}
		m.decide("", field, canon, func(i int) string { return strings.TrimPrefix(canon[i], "=") })
	}
	out := &Merged{Items: m.items, Frame: frame - 1}
	if out.Open() > 0 {
		return out, nil
	}
	t, err := open(all[frame])
	if err != nil {
		return nil, err
	}
	for i := range m.needs {
		n := &m.needs[i]
		want, have := n.canon[n.from], n.canon[frame]
		if want == have {
			continue
		}
		if want == "" || have == "" {
			return nil, nil // a key that came or went is lost to another change
		}
		if err := t.Set("", m.items[n.item].Field, want[1:]); err != nil {
			return nil, err
		}
		if got := t.Shown(m.items[n.item].Field); got != want[1:] {
			return nil, fmt.Errorf("%w: %s is %q, not %q", ErrProof, m.items[n.item].Field, got, want[1:])
		}
	}
	out.Asset, _, err = t.Files(context.Background())
	return out, err
}

// hunk is a range of lines of the base, and the lines of a version in its place.
type hunk struct {
	from, to int
	lines    []string
}

// mergeLines merges by lines.
func mergeLines(name string, all [][]byte, o MergeOptions) (*Merged, error) {
	lines := make([][]string, len(all))
	hunks := make([][]hunk, len(all))
	for i, b := range all {
		lines[i] = strings.SplitAfter(string(b), "\n")
		hunks[i] = changedLines(lines[0], lines[i], 0)
	}
	m := &merger{o: o, all: make([]*version, len(all))}
	var result []string
	at := 0
	for {
		from, to := len(lines[0])+1, -1
		for _, list := range hunks[1:] {
			if len(list) > 0 && list[0].from < from {
				from, to = list[0].from, list[0].to
			}
		}
		if to < 0 {
			break
		}
		for grown := true; grown; { // hunks that touch lines of others are decided together
			grown = false
			for _, list := range hunks[1:] {
				for _, h := range list {
					if h.from < to && h.to > to || h.from == from && h.to > to {
						to, grown = h.to, true
					}
				}
			}
		}
		result = append(result, lines[0][at:from]...)
		at = to
		canon := make([]string, len(all))
		inserts := from == to
		for i := range all {
			var own []string
			k := from
			for len(hunks[i]) > 0 && (hunks[i][0].from < to || hunks[i][0].from == from) && hunks[i][0].to <= to {
				own = append(append(own, lines[0][k:hunks[i][0].from]...), hunks[i][0].lines...)
				k, hunks[i] = hunks[i][0].to, hunks[i][1:]
			}
			canon[i] = strings.Join(append(own, lines[0][k:to]...), "")
		}
		result = append(result, m.lines(from, to, canon, inserts))
	}
	result = append(result, lines[0][at:]...)
	out := &Merged{Items: m.items, Frame: -1}
	if out.Open() == 0 {
		out.Asset = []byte(strings.Join(result, ""))
		if textfile.Editable(name) && opens(name, all) && !opens(name, [][]byte{out.Asset}) {
			return nil, fmt.Errorf("%w: the lines of both make no file of this kind", property.ErrRefused)
		}
	}
	return out, nil
}

func opens(name string, all [][]byte) bool {
	return !slices.ContainsFunc(all, func(b []byte) bool { _, err := textfile.Open(name, b); return err != nil })
}

// lines decides a range of lines, and returns those of the result.
func (m *merger) lines(from, to int, canon []string, inserts bool) string {
	field := fmt.Sprintf("lines %d to %d", from+1, to)
	if inserts {
		field = fmt.Sprintf("lines after %d", from)
	}
	n := m.decide("", field, canon, func(i int) string { return canon[i] })
	item := &m.items[n.item]
	if item.Why == "" || !inserts || !apart(canon) {
		return canon[n.from]
	}
	// Lines that versions put at one place, each with keys of its own, are all there.
	item.Why, item.Open, item.Ordered = "", false, true
	item.Taken = slices.Max(slices.Collect(maps.Keys(item.Values)))
	all, there := "", map[string]bool{}
	for _, c := range canon[1:] {
		if !there[c] {
			there[c], all = true, all+c
		}
	}
	return all
}

// apart reports whether no key is in the lines of two versions.
func apart(canon []string) bool {
	seen := map[string]int{}
	for i, c := range canon {
		for line := range strings.Lines(c) {
			key := strings.TrimSpace(line)
			if key == "" || !strings.HasSuffix(line, "\n") {
				if key != "" {
					return false // the last line of the file
				}
				continue
			}
			if !strings.ContainsAny(key[:1], "+-.!;#[") {
				if end := strings.IndexAny(key, "=:,"); end > 0 {
					key = strings.ToLower(strings.TrimSpace(key[:end]))
				}
			}
			if by, ok := seen[key]; ok && by != i && canon[by] != c {
				return false
			}
			seen[key] = i
		}
	}
	return true
}

// changedLines compares lines by those that both sides have once: those stay that are in one order, and
// what lies between them is compared in turn.
func changedLines(a, b []string, at int) []hunk {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	a, b, at = a[start:len(a)-end], b[start:len(b)-end], at+start
	if len(a)+len(b) == 0 {
		return nil
	}
	type place struct{ count, at int }
	once := func(lines []string) map[string]place {
		all := map[string]place{}
		for i, line := range lines {
			all[line] = place{all[line].count + 1, i}
		}
		return all
	}
	there, pairs := once(b), [][2]int(nil)
	for line, p := range once(a) {
		if q := there[line]; p.count == 1 && q.count == 1 {
			pairs = append(pairs, [2]int{p.at, q.at})
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return x[0] - y[0] })
	stay := longest.Run(pairs, func(p [2]int) int { return p[1] })
	if len(stay) == 0 {
		return []hunk{{at, at + len(a), b}}
	}
	var all []hunk
	i, k := 0, 0
	for _, n := range stay {
		p := pairs[n]
		all = append(all, changedLines(a[i:p[0]], b[k:p[1]], at+i)...)
		i, k = p[0]+1, p[1]+1
	}
	return append(all, changedLines(a[i:], b[k:], at+i)...)
}
