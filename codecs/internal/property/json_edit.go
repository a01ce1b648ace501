package property

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// JSONChange is a difference between an export and JSON of it.
type JSONChange struct {
	Op    string // set, append, copy, remove: as edits have it
	Path  string
	Value string
}

// JSONChanges returns what makes export i, which [Decoder.Export] read, the one that JSON in
// the shape of [Decoder.AppendJSON] describes. It fails for differences that no edit makes.
// Paths are those of the export as it is, as edits in the order of Op take them.
func (d *Decoder) JSONChanges(o *Export, i int, doc []byte) ([]JSONChange, error) {
	given, err := parseJSON(doc)
	if err != nil {
		return nil, err
	}
	object, ok := given.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: JSON of an export is an object", ErrValue)
	}
	have, err := parseJSON(d.AppendJSON(nil, o, i))
	if err != nil {
		return nil, err
	}
	x := &jsonDiffer{d: d, l: &o.List}
	own := have.(map[string]any)
	data := map[string]int{} // what the class stores after the properties
	if o.Status != Lost {
		for at, n := range o.List.Children(-1) {
			if n.Flags&ClassData != 0 && !isSuper(n) {
				data[n.Name] = at
			}
		}
	}
	for _, name := range sortedKeys(own) {
		value := own[name]
		at, isData := data[name]
		now, kept := object[name]
		switch {
		case isData && kept:
			err = x.value(at, true, name, now)
		case name == "Properties" && kept:
			err = x.fields(-1, "", now)
		case !kept || !sameJSON(value, now):
			err = refuse("%s of an object: pakdb changes values alone", name)
		}
		if err != nil {
			return nil, err
		}
	}
	for name := range object {
		if _, ok := own[name]; !ok {
			return nil, refuse("%s of an object: pakdb changes values alone", name)
		}
	}
	return x.out, nil
}

func parseJSON(b []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err = dec.Decode(&v); err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = fmt.Errorf("%w: more JSON after the value", ErrValue)
		}
	}
	return v, err
}

// sameJSON compares two values. 1 and 1.0 are the same number, but -0.0 is not 0.0.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		n, ok := b.(json.Number)
		if !ok || a == n {
			return ok
		}
		if !strings.ContainsAny(string(a)+string(n), ".eE") {
			return false
		}
		x, err1 := a.Float64()
		y, err2 := n.Float64()
		return err1 == nil && err2 == nil && math.Float64bits(x) == math.Float64bits(y)
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok || len(a) != len(m) {
			return false
		}
		for name, v := range a {
			if w, ok := m[name]; !ok || !sameJSON(v, w) {
				return false
			}
		}
		return true
	case []any:
		l, ok := b.([]any)
		return ok && slices.EqualFunc(a, l, sameJSON)
	}
	return reflect.DeepEqual(a, b)
}

// jsonDiffer compares values of one list with JSON.
type jsonDiffer struct {
	d   *Decoder
	l   *List
	out []JSONChange
}

func (x *jsonDiffer) add(op, path, value string) {
	x.out = append(x.out, JSONChange{op, path, value})
}

// value compares the value of a node. named is as [jsonWriter.value] has it.
func (x *jsonDiffer) value(i int, named bool, path string, given any) error {
	w := jsonWriter{d: x.d, l: x.l}
	w.value(i, named)
	have, err := parseJSON(w.dst)
	if err != nil || sameJSON(have, given) {
		return err
	}
	n := &x.l.Nodes[i]
	switch n.Kind {
	case Struct:
		if object, ok := given.(map[string]any); ok && n.Type.Name == "InstancedStruct" && n.Flags&Binary != 0 && int(n.Next) > i+1 && sameJSON(have.(map[string]any)["StructType"], object["StructType"]) {
			return x.value(i+1, false, path, object["Value"])
		}
		if _, fields := have.(map[string]any); fields && !n.IsSoft() && n.Type.Name != "InstancedStruct" {
			return x.fields(i, path, given)
		}
	case Array, Set:
		return x.list(i, path, given)
	case Map:
		return x.pairs(i, named, path, given)
	case Optional:
		if n.Bits == 1 && given != nil {
			return x.value(i+1, false, path, given)
		}
		if given == nil {
			x.add("set", path, "null")
			return nil
		}
	case Text:
		return x.text(path, have, given)
	case Opaque:
		return refuse("%s: its bytes are not understood: %s", path, n.Text)
	}
	text, err := jsonText(path, given)
	if err == nil {
		x.add("set", path, text)
	}
	return err
}

// JSONText returns a value in the shape of [Draft.JSON] that is no struct or container as edits
// have it.
func JSONText(path string, doc []byte) (string, error) {
	given, err := parseJSON(doc)
	if err != nil {
		return "", err
	}
	return jsonText(path, given)
}

// jsonText returns a value that is no struct or container as edits have it.
func jsonText(path string, given any) (string, error) {
	switch v := given.(type) {
	case nil:
		return "None", nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		return v.String(), nil
	case string:
		return v, nil
	case map[string]any:
		if object, ok := v["ObjectPath"].(string); ok {
			name, _ := v["ObjectName"].(string)
			if class, _, ok := strings.Cut(name, "'"); ok && class != "" {
				return class + "'" + object + "'", nil
			}
			return object, nil
		}
		if asset, ok := v["AssetPathName"].(string); ok {
			if sub, _ := v["SubPathString"].(string); sub != "" {
				asset += ":" + sub
			}
			return asset, nil
		}
		for _, name := range []string{"SourceString", "CultureInvariantString"} {
			if text, ok := v[name].(string); ok && len(v) == 1 {
				return text, nil
			}
		}
	}
	return "", refuse("%s as a whole: set its fields", path)
}

// fields compares the fields below a node.
func (x *jsonDiffer) fields(parent int, path string, given any) error {
	object, ok := given.(map[string]any)
	if !ok {
		return fmt.Errorf("%w: %s is an object in JSON", ErrValue, path)
	}
	var m members
	known := map[string]bool{}
	for i, n := range x.l.Children(parent) {
		if parent < 0 && n.Flags&ClassData != 0 {
			continue
		}
		name := string(appendField(nil, n))
		own := m.add(name)
		known[own] = true
		at := joined(path, name)
		value, kept := object[own]
		before := len(x.out)
		if !kept {
			x.add("remove", at, "")
		} else if err := x.value(i, false, at, value); err != nil {
			return err
		}
		if own != name && len(x.out) > before {
			return refuse("%s: the object has the field twice", at)
		}
	}
	for _, name := range sortedKeys(object) {
		if known[name] {
			continue
		}
		text, err := jsonText(joined(path, name), object[name])
		if err != nil {
			return err
		}
		x.add("set", joined(path, name), text)
	}
	return nil
}

func joined(path, field string) string {
	if path == "" || field == "" {
		return path + field
	}
	return path + "." + field
}

func sortedKeys(m map[string]any) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// list compares elements by their positions.
func (x *jsonDiffer) list(i int, path string, given any) error {
	elements, ok := given.([]any)
	if !ok {
		return fmt.Errorf("%w: %s is an array in JSON", ErrValue, path)
	}
	n := &x.l.Nodes[i]
	in, parent, skip := x, i, 0
	packed := n.Flags&Packed != 0
	if packed {
		in, parent = &jsonDiffer{d: x.d, l: x.l.Unpack(i, 0, int(n.Bits))}, -1
	} else if n.Kind == Set {
		skip = int(n.Bits)
	}
	position, last := 0, -1
	for at := range in.l.Children(parent) {
		if skip--; skip >= 0 {
			continue
		}
		place := fmt.Sprintf("%s[%d]", path, position)
		if position >= len(elements) {
			in.add("remove", place, "")
		} else if err := in.value(at, false, place, elements[position]); err != nil {
			return err
		}
		position, last = position+1, at
	}
	for ; position < len(elements); position++ {
		place := fmt.Sprintf("%s[%d]", path, position)
		switch {
		case packed || last < 0: // nothing to copy
			text, err := jsonText(place, elements[position])
			if err != nil {
				return err
			}
			in.add("append", path, text)
		default:
			in.add("append", path, "") // a copy of the last one
			if err := in.value(last, false, place, elements[position]); err != nil {
				return err
			}
		}
	}
	if packed {
		x.out = append(x.out, in.out...)
	}
	return nil
}

// pairs compares entries by their keys.
func (x *jsonDiffer) pairs(i int, named bool, path string, given any) error {
	n := &x.l.Nodes[i]
	named = named && (n.Type.Key.Kind == Name || n.Type.Key.Kind == Str)
	entries, order, err := entriesOf(given, named, path)
	if err != nil {
		return err
	}
	key, skip, last := -1, int(n.Bits), -1
	lastPath := ""
	known := map[string]bool{}
	var m members
	for k := range x.l.Children(i) {
		if skip > 0 {
			skip--
			continue
		}
		if key < 0 {
			key = k
			continue
		}
		own := x.l.Nodes[key].Text
		if named {
			own = m.add(own)
		} else {
			w := jsonWriter{d: x.d, l: x.l}
			w.value(key, false)
			v, err := parseJSON(w.dst)
			if err != nil {
				return err
			}
			own = keyText(v)
		}
		place := path + "[" + string(x.d.AppendKey(nil, x.l, key)) + "]"
		known[own] = true
		if value, kept := entries[own]; !kept {
			x.add("remove", place, "")
		} else if err := x.value(k, named, place, value); err != nil {
			return err
		}
		key, last, lastPath = -1, k, place
	}
	for _, own := range order {
		if known[own] {
			continue
		}
		if last < 0 {
			return refuse("%s: an entry of an empty map", path)
		}
		text := own
		if !named {
			var v any
			if v, err = parseJSON([]byte(own)); err == nil {
				text, err = jsonText(path, v)
			}
			if err != nil {
				return err
			}
		}
		x.add("copy", lastPath, text)
		if err := x.value(last, named, path+"["+text+"]", entries[own]); err != nil {
			return err
		}
	}
	return nil
}

// keyText returns a key of a map as one text.
func keyText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// entriesOf returns the entries of a map in JSON by their keys, and the keys in order.
func entriesOf(given any, named bool, path string) (entries map[string]any, order []string, err error) {
	if named {
		object, ok := given.(map[string]any)
		if !ok {
			return nil, nil, fmt.Errorf("%w: %s is an object in JSON", ErrValue, path)
		}
		return object, sortedKeys(object), nil
	}
	list, ok := given.([]any)
	if !ok {
		return nil, nil, fmt.Errorf("%w: %s is an array in JSON", ErrValue, path)
	}
	entries = map[string]any{}
	for _, v := range list {
		pair, _ := v.(map[string]any)
		key, hasKey := pair["Key"]
		value, hasValue := pair["Value"]
		text := keyText(key)
		if _, twice := entries[text]; twice || !hasKey || !hasValue || len(pair) != 2 {
			return nil, nil, fmt.Errorf("%w: %s: entries are {\"Key\": ..., \"Value\": ...}, each key once", ErrValue, path)
		}
		entries[text] = value
		order = append(order, text)
	}
	return entries, order, nil
}

// text compares a text: only its source is changed.
func (x *jsonDiffer) text(path string, have, given any) error {
	was, _ := have.(map[string]any)
	now, ok := given.(map[string]any)
	if !ok {
		return fmt.Errorf("%w: %s is an object in JSON", ErrValue, path)
	}
	for _, name := range []string{"SourceString", "CultureInvariantString"} {
		text, ok := now[name].(string)
		if _, had := was[name]; !ok || !had {
			continue
		}
		rest := map[string]any{}
		for k, v := range now {
			rest[k] = v
		}
		rest[name] = was[name]
		if sameJSON(was, rest) {
			x.add("set", path, text)
			return nil
		}
	}
	return refuse("%s: pakdb changes the source of a text alone", path)
}
