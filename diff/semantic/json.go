package semantic

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/jsonc"

	"pakdb/internal/bin"
)

// What aligning elements may cost: elements of a list, and over all lists bytes of
// text and pairs of elements. Beyond it the n-th elements are compared.
const (
	maxAligned = 2000
	maxAlign   = 64 << 20
)

// jsonChanges lists what differs between two JSON documents, by paths such as
// $.Items[2].Damage. ok is false when either is none. Elements of lists are
// aligned, so that one which was put in does not change those after it; their
// numbers are those of the new document, or, of what is gone, of the old.
func jsonChanges(a, b []byte) (changes []Field, ok bool) {
	old, ok := parseJSON(a)
	if !ok {
		return nil, false
	}
	new, ok := parseJSON(b)
	if !ok {
		return nil, false
	}
	d := &jsonDiff{budget: maxAlign}
	d.values("$", old, new)
	return d.changes, true
}

// parseJSON takes objects and lists; other texts may be JSON by accident.
func parseJSON(b []byte) (v any, ok bool) {
	b = jsonc.ToJSON(bin.Text(b))
	if t := bytes.TrimLeft(b, " \t\r\n"); len(t) == 0 || t[0] != '{' && t[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

type jsonDiff struct {
	changes []Field
	budget  int
}

func (d *jsonDiff) values(path string, old, new any) {
	switch a := old.(type) {
	case map[string]any:
		if b, ok := new.(map[string]any); ok {
			d.objects(path, a, b)
			return
		}
	case []any:
		if b, ok := new.([]any); ok {
			d.lists(path, a, b)
			return
		}
	}
	if x, y := jsonText(old), jsonText(new); x != y {
		d.changes = append(d.changes, Field{Name: path, Old: &x, New: &y})
	}
}

func jsonText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil { // what was decoded can be encoded
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (d *jsonDiff) gone(path string, v any) {
	text := jsonText(v)
	d.changes = append(d.changes, Field{Name: path, Old: &text})
}

func (d *jsonDiff) came(path string, v any) {
	text := jsonText(v)
	d.changes = append(d.changes, Field{Name: path, New: &text})
}

func (d *jsonDiff) objects(path string, a, b map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if v, stays := b[key]; stays {
			d.values(member(path, key), a[key], v)
		} else {
			d.gone(member(path, key), a[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[key]; !ok {
			d.came(member(path, key), b[key])
		}
	}
}

// member is the path of a member: .name, or ["any text"].
func member(path, key string) string {
	for i, r := range key {
		letter := r == '_' || r|0x20 >= 'a' && r|0x20 <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return path + "[" + jsonText(key) + "]"
		}
	}
	if key == "" {
		return path + `[""]`
	}
	return path + "." + key
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// lists leaves out what is equal, and compares what lies between by turns.
func (d *jsonDiff) lists(path string, a, b []any) {
	i, j := 0, 0
	for _, same := range append(d.align(a, b), [2]int{len(a), len(b)}) {
		for ; i < same[0] && j < same[1]; i, j = i+1, j+1 {
			d.values(element(path, j), a[i], b[j])
		}
		for ; i < same[0]; i++ {
			d.gone(element(path, i), a[i])
		}
		for ; j < same[1]; j++ {
			d.came(element(path, j), b[j])
		}
		i, j = same[0]+1, same[1]+1
	}
}

// align returns the places of equal elements, of as many as can be without
// crossing.
func (d *jsonDiff) align(a, b []any) (same [][2]int) {
	if len(a) > maxAligned || len(b) > maxAligned {
		return nil
	}
	x, y := d.texts(a), d.texts(b)
	if d.budget -= len(x) * len(y); d.budget < 0 {
		return nil
	}
	longest := commonRuns(x, y)
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			same = append(same, [2]int{i, j})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return same
}

// commonRuns returns how many elements x[i:] and y[j:] have in common, for each
// i and j.
func commonRuns(x, y []string) [][]uint16 {
	longest := make([][]uint16, len(x)+1)
	for i := range longest {
		longest[i] = make([]uint16, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if longest[i][j] = max(longest[i+1][j], longest[i][j+1]); x[i] == y[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	return longest
}

// texts renders elements as far as the budget goes; the others are "".
func (d *jsonDiff) texts(list []any) []string {
	texts := make([]string, len(list))
	for i, v := range list {
		if d.budget < 0 {
			break
		}
		texts[i] = jsonText(v)
		d.budget -= len(texts[i])
	}
	return texts
}
