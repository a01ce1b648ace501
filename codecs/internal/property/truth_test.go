package property_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
)

// truth is what an independent reader made of a package.
type truth struct {
	File    string
	Engine  int
	Usmap   string
	Exports []truthExport
}

type truthExport struct {
	Export   int
	Name     string
	Class    string
	Status   string
	PropsEnd int `json:"props_end"`
	Tail     int
	Props    [][]any
	Rows     map[string]any
	Strings  map[string]any
	Enum     any
	Fields   [][]any
	Super    string
	Defaults [][]any
}

func readTruth(t testing.TB, elem ...string) *truth {
	t.Helper()
	text, err := os.ReadFile(codecstest.Sample(t, append([]string{samples, "truth"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(string(text), "NaN", "null")))
	d.UseNumber()
	out := &truth{}
	if err := d.Decode(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// score counts what a comparison found.
type score struct {
	equal, other, lists, listsEqual int
	differences                     []string
}

func (s *score) compare(format string, got, want any, args ...any) {
	if same(got, want) {
		s.equal++
		return
	}
	s.other++
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	s.differences = append(s.differences, fmt.Sprintf(format, args...)+fmt.Sprintf("\n   got %.700s\n  want %.700s", g, w))
}

// same compares values of the truths: numbers as numbers.
func same(a, b any) bool {
	if m, ok := b.(map[string]any); ok && (m["$zero"] != nil || m["$raw"] != nil) {
		return explained(a, m)
	}
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if v, ok := y[k]; !ok || !same(x[k], v) {
				return false
			}
		}
		return true
	case string:
		y, ok := b.(string)
		return ok && (x == y || isObject(x, y))
	case nil:
		return b == nil
	case bool:
		return reflect.DeepEqual(a, b)
	}
	x, okX := numberOf(a)
	y, okY := numberOf(b)
	return okX && okY && x == y
}

// explained compares what the truths do not render: structs of unversioned lists that
// are zero as a whole, and bytes that were not understood.
func explained(got any, want map[string]any) bool {
	switch x := got.(type) {
	case []any: // a struct of numbers
		for _, v := range x {
			if n, ok := numberOf(v); !ok || n != "0" {
				return false
			}
		}
		return want["$zero"] != nil
	case string:
		return want["$zero"] == "Guid" && strings.Trim(x, "0") == ""
	case map[string]any:
		if want["$zero"] != nil {
			return x["$zero"] == want["$zero"]
		}
		return x["$opaque"] != nil && same(x["$size"], want["$size"])
	}
	return false
}

// isObject compares paths of objects: the truths of Zen packages lack what the global
// container knows.
func isObject(full, short string) bool {
	return short != "" && strings.HasSuffix(full, "."+short)
}

func numberOf(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		s := v.String()
		if strings.ContainsAny(s, ".eE") {
			f, _ := v.Float64()
			return fmt.Sprint(f), true
		}
		return s, true
	case int64, uint64, float64, int:
		return fmt.Sprint(v), true
	}
	return "", false
}

// compareExport compares one export with its truth.
func compareExport(s *score, d *property.Decoder, name string, o *property.Export, want *truthExport) {
	s.lists++
	switch {
	case want.Status == "error":
		if o.Status != property.Lost {
			s.differences = append(s.differences, fmt.Sprintf("%s: %s, the truth has no list", name, o.Status))
			return
		}
		s.listsEqual++
		return
	case o.Status == property.Lost || o.End != want.PropsEnd && o.End-want.PropsEnd != 4 && o.End-want.PropsEnd != 20:
		s.differences = append(s.differences, fmt.Sprintf("%s (%s): %s, list ends at %d, want %d (%v)", name, want.Class, o.Status, o.End, want.PropsEnd, o.Why))
	default:
		s.listsEqual++
	}
	v := &view{d: d, l: &o.List}
	var props [][]any
	for i, n := range o.List.Children(-1) {
		if n.Flags&property.ClassData == 0 {
			props = append(props, []any{n.Name, n.Type.String(), int64(n.Index), v.value(i)})
		}
	}
	for k := range max(len(props), len(want.Props)) {
		var g, w []any
		if k < len(props) {
			g = props[k]
		}
		if k < len(want.Props) {
			w = want.Props[k]
		}
		if len(g) == 4 && len(w) == 4 && strings.EqualFold(fmt.Sprint(g[0]), fmt.Sprint(w[0])) {
			s.compare("%s.%s (%s, truth %s)", g[3], w[3], name, w[0], g[1], w[1])
			continue
		}
		s.compare("%s: property %d", g, w, name, k)
	}
	for row, w := range want.Rows {
		s.compare("%s: row %s", v.row(row), w, name, row)
	}
	if want.Strings != nil {
		s.compare("%s: strings", v.strings(), map[string]any{"namespace": want.Strings["namespace"], "entries": want.Strings["entries"]}, name)
	}
	if want.Fields != nil {
		var fields []any
		if o.Schema != nil {
			for _, f := range o.Schema.Fields {
				fields = append(fields, []any{f.Name, f.Type.String(), int64(f.Count)})
			}
		}
		list := make([]any, 0, len(want.Fields))
		for _, f := range want.Fields {
			list = append(list, []any(f))
		}
		if fields == nil {
			fields = []any{}
		}
		if o.Schema != nil || len(list) > 0 {
			s.compare("%s: fields", fields, list, name)
		}
	}
}
