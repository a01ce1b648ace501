package mods

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
)

// MergeOptions say what to do where several versions of a package change one thing.
type MergeOptions struct {
	// Take returns the version whose value a conflict takes, -1 for that of the base. It is nil
	// where nothing is decided so.
	Take func(object, field string) (version int, ok bool)
	// Prefer lists versions, the one that wins first, for all other conflicts. A conflict in
	// which none of them has a change stays open.
	Prefer []int
	// Beside are texts that identify what belongs to each package but is in other files, the
	// base first: bulk data. Nil is for none.
	Beside []string
}

// MergeItem is a thing of a package that versions changed: a value, an entry, the order of an array, a
// function, data that is not understood.
type MergeItem struct {
	Object, Field string
	Base          string         // as JSON; "" where it is not there
	Values        map[int]string // of the versions that changed it; "" where they removed it
	Taken         int            // the version that the result has it of; -1: the base, or open
	Why           string         // of a conflict; "" for none
	Open          bool           // a conflict that nothing decided
	Ordered       bool           // elements that two versions added at one place lie in the order of the versions
}

// Merged is the result of a merge.
type Merged struct {
	Items []MergeItem
	// Frame is the version whose tables, code and bulk data the result has; -1 is the base.
	Frame int
	// Asset and Uexp are the files, nil if a conflict is open. Uexp is nil unless the package
	// is split.
	Asset, Uexp []byte
}

// Open returns how many conflicts are open.
func (m *Merged) Open() (n int) {
	for i := range m.Items {
		if m.Items[i].Open {
			n++
		}
	}
	return n
}

// mergeVersions makes all changes that versions of a package make of base. Everything is compared with
// the base: one changed side wins, equal changes count once, and other changes of one thing are
// a conflict. Objects are known by their paths and classes, fields by their names, entries and
// rows by their keys. The result was read back, and has what Items say.
func mergeVersions(ctx context.Context, base *Package, versions []*Package, o MergeOptions) (*Merged, error) {
	m, err := newMerger(append([]*Package{base}, versions...), o)
	if err != nil {
		return nil, err
	}
	m.packages()
	out := &Merged{Items: m.items, Frame: m.chooseFrame() - 1}
	if m.stuck(out); out.Open() > 0 {
		return out, nil
	}
	frame := m.all[out.Frame+1]
	made, err := m.write(ctx, out.Frame+1)
	if err != nil {
		return nil, err
	}
	out.Asset, out.Uexp = frame.pkg.frame.asset, frame.pkg.frame.uexp
	if made != nil {
		out.Asset, out.Uexp = made.asset, made.uexp
	}
	return out, nil
}

// version is one of the packages that are merged. Version 0 is the base.
type version struct {
	pkg     *Package
	drafts  []*property.Draft // by export, nil where its list is lost
	exports map[string]int    // by path and class
	keys    []string          // of the exports, in order
	code    map[int]*script.Function
}

type merger struct {
	o     MergeOptions
	all   []*version
	items []MergeItem
	needs []need
	lacks map[int]map[string]error // by version: objects that cannot be added to it, by their keys
}

// need is what the result has of one version: which one, and how another becomes it.
type need struct {
	object string
	canon  []string // by version
	from   int
	item   int
	kind   needKind
	key    string          // of the export
	nodes  []int           // by version, of a value
	parent []int           // of the node that lacks it
	parts  []property.Part // of an array that is merged by its elements
	like   int             // the version of parts that has an element
}

type needKind uint8

const (
	needFrame needKind = iota // only taking the package itself gives it
	needValue
	needArray
	needRest   // the data after the list
	needWhole  // the list and that data
	needObject // an object that the base lacks
)

func newMerger(all []*Package, o MergeOptions) (*merger, error) {
	m := &merger{o: o}
	for _, p := range all {
		if p.frame.classic() {
			return nil, fmt.Errorf("%w: values of packages of UE1 to UE3 carried into others", unreal.ErrNoWriting)
		}
		v, err := newVersion(p)
		if err != nil {
			return nil, err
		}
		m.all = append(m.all, v)
	}
	return m, nil
}

func newVersion(p *Package) (*version, error) {
	v := &version{pkg: p, exports: map[string]int{}, code: map[int]*script.Function{}}
	for i := range p.facts.Exports {
		d, _ := p.decoder.Edit(i, p.frame.data(i))
		v.drafts = append(v.drafts, d)
		key := p.decoder.ObjectKey(unreal.ObjectRef(i + 1))
		for n, of := 2, key; ; n++ {
			if _, twice := v.exports[key]; !twice {
				break
			}
			key = fmt.Sprint(of, " #", n)
		}
		v.exports[key], v.keys = i, append(v.keys, key)
	}
	functions, err := script.Kismet(p.facts, func(i int) ([]byte, error) { return p.frame.data(i), nil }, script.KismetOptions{Raw: true, Links: true})
	for i := range functions {
		f := &functions[i]
		d := v.drafts[f.Export]
		if d == nil || f.Err != nil {
			continue
		}
		if from, to := d.Code(); from != f.At || to != f.At+f.Disk {
			continue
		}
		var links []property.Link
		for _, l := range f.Links {
			kind := property.LinkName
			if l.Object {
				kind = property.LinkObject
			}
			links = append(links, property.Link{At: int32(l.At), Kind: kind})
		}
		d.LinkCode(links)
		v.code[f.Export] = f
	}
	return v, err
}

// export returns the draft and bytes of an export, nil for none.
func (v *version) export(key string) (*property.Draft, []byte) {
	i, ok := v.exports[key]
	if !ok {
		return nil, nil
	}
	return v.drafts[i], v.pkg.frame.data(i)
}

// packages compares all that the packages have.
func (m *merger) packages() {
	m.frames("", "files beside the package", func(v *version) string {
		if i := slices.Index(m.all, v); i < len(m.o.Beside) {
			return m.o.Beside[i]
		}
		return ""
	})
	m.frames("", "places of bulk data", func(v *version) string {
		if len(v.pkg.facts.Bulk) == 0 {
			return ""
		}
		return fmt.Sprintf("%+v", v.pkg.facts.Bulk)
	})
	var keys []string
	for _, v := range m.all {
		for _, key := range v.keys {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	events := map[string]bool{}
	for _, v := range m.all {
		for i, f := range v.code {
			if f.Graph != "" {
				events[v.keys[i]] = true
				graph := strings.ToLower(f.Path[:strings.LastIndexByte(f.Path, ':')+1] + f.Graph)
				for k, g := range v.code {
					if strings.ToLower(g.Path) == graph {
						events[v.keys[k]] = true
					}
				}
			}
		}
	}
	m.events(keys, events)
	for _, key := range keys {
		if !events[key] {
			m.object(key)
		}
	}
}

// frames compares something that belongs to a package as a whole.
func (m *merger) frames(object, field string, of func(v *version) string) *need {
	canon := make([]string, len(m.all))
	for i, v := range m.all {
		canon[i] = of(v)
	}
	return m.decide(object, field, canon, func(i int) string {
		if canon[i] == "" {
			return ""
		}
		return "there"
	})
}

// decide compares a thing in all versions, and notes which one the result has it of. It
// returns nil if all have that of the base.
func (m *merger) decide(object, field string, canon []string, shown func(version int) string) *need {
	item := MergeItem{Object: object, Field: field, Taken: -1, Values: map[int]string{}}
	values := map[string]bool{}
	for i := 1; i < len(canon); i++ {
		if canon[i] != canon[0] {
			item.Values[i-1] = shown(i)
			values[canon[i]] = true
		}
	}
	if len(values) == 0 {
		return nil
	}
	item.Base = shown(0)
	if len(values) == 1 {
		item.Taken = slices.Min(slices.Collect(maps.Keys(item.Values)))
	} else {
		m.conflict(&item, WhyDifferent)
	}
	m.items = append(m.items, item)
	m.needs = append(m.needs, need{object: object, canon: canon, from: item.Taken + 1, item: len(m.items) - 1})
	return &m.needs[len(m.needs)-1]
}

// WhyDifferent is why most conflicts are ones.
const WhyDifferent = "they give different values"

// conflict settles a conflict, or leaves it open.
func (m *merger) conflict(item *MergeItem, why string) {
	item.Why, item.Open = why, true
	if m.o.Take != nil {
		if v, ok := m.o.Take(item.Object, item.Field); ok {
			item.Taken, item.Open = v, false
			return
		}
	}
	for _, v := range m.o.Prefer {
		if _, changed := item.Values[v]; changed {
			item.Taken, item.Open = v, false
			return
		}
	}
}

// events compares the code of the events of blueprints as one thing: events enter the
// function that holds their code by offsets.
func (m *merger) events(keys []string, events map[string]bool) {
	var mine []string
	for _, key := range keys {
		if events[key] {
			mine = append(mine, key)
		}
	}
	if len(mine) == 0 {
		return
	}
	canon := make([]string, len(m.all))
	for i, v := range m.all {
		for _, key := range mine {
			canon[i] += key + m.header(v, key) + m.whole(v, key) + "\n"
		}
	}
	found := m.decide("", "code of events", canon, func(int) string { return "there" })
	if found == nil {
		return
	}
	from, item := found.from, found.item
	m.needs = m.needs[:len(m.needs)-1]
	for _, key := range mine {
		head, whole := make([]string, len(m.all)), make([]string, len(m.all))
		for i, v := range m.all {
			head[i], whole[i] = m.header(v, key), m.whole(v, key)
		}
		m.needs = append(m.needs, need{object: key, canon: head, from: from, item: item},
			need{object: key, key: key, canon: whole, from: from, item: item, kind: needWhole})
	}
}

// header identifies what the export table says of an object.
func (m *merger) header(v *version, key string) string {
	i, ok := v.exports[key]
	if !ok {
		return ""
	}
	x, d := &v.pkg.facts.Exports[i], v.pkg.decoder
	return fmt.Sprint("super ", d.ObjectKey(x.Super), " archetype ", d.ObjectKey(x.Archetype))
}

// whole identifies the data of an object.
func (m *merger) whole(v *version, key string) string {
	d, b := v.export(key)
	if d == nil {
		return string(b)
	}
	text := d.Resolved(0, d.Head())
	for i, n := range d.List().Children(-1) {
		if n.Flags&property.ClassData == 0 {
			text += property.FieldName(n) + "=" + d.Canon(i) + "\n"
		}
	}
	f := v.code[v.exports[key]]
	if f == nil {
		return text + d.Resolved(d.End(), len(b))
	}
	// Two compilations of one code differ in their offsets and in the numbers of variables.
	const sizes = 8 // of the script, in front of it
	return text + d.Resolved(d.End(), f.At-sizes) + fmt.Sprintf("%x", f.Normal.Digest()) + d.Resolved(f.At+f.Disk, len(b))
}

func (m *merger) object(key string) {
	name, there := "", true
	lost := false
	for _, v := range m.all {
		i, ok := v.exports[key]
		if there = there && ok; !ok {
			continue
		}
		name = v.pkg.decoder.ObjectPath(unreal.ObjectRef(i + 1))
		lost = lost || v.drafts[i] == nil
	}
	if !there {
		// One that came or went has no values to compare.
		n := m.frames(name, "the object", func(v *version) string { return m.header(v, key) + m.whole(v, key) })
		if _, ok := m.all[0].exports[key]; n != nil && !ok {
			n.kind, n.key = needObject, key
		}
		return
	}
	m.frames(name, "its entry in the table", func(v *version) string { return m.header(v, key) })
	if lost || m.isFunction(key) {
		canon := make([]string, len(m.all))
		for i, v := range m.all {
			canon[i] = m.whole(v, key)
		}
		field := "the object"
		if !lost {
			field = "code"
		}
		if n := m.decide(name, field, canon, func(int) string { return "there" }); n != nil {
			n.kind, n.key = needWhole, key
		}
		return
	}
	m.frames(name, "what is in front of its values", func(v *version) string {
		d, _ := v.export(key)
		return d.Resolved(0, d.Head())
	})
	w := walk{m, key, name}
	top := make([]int, len(m.all))
	for i := range top {
		top[i] = -1
	}
	w.fields("", top)
	w.rest()
}

func (m *merger) isFunction(key string) bool {
	return slices.ContainsFunc(m.all, func(v *version) bool {
		i, ok := v.exports[key]
		return ok && v.code[i] != nil
	})
}

// walk compares the values of one object.
type walk struct {
	m         *merger
	key, name string
}

func (w *walk) draft(i int) *property.Draft {
	d, _ := w.m.all[i].export(w.key)
	return d
}

// fields compares the fields below a node of each version, -1 for the object itself.
func (w *walk) fields(path string, parents []int) {
	var names []string
	nodes := map[string][]int{}
	for i := range w.m.all {
		for at, n := range w.draft(i).List().Children(parents[i]) {
			if n.Flags&property.ClassData != 0 && !property.IsTable(n) {
				continue
			}
			name := property.FieldName(n)
			folded := strings.ToLower(name)
			if nodes[folded] == nil {
				names = append(names, name)
				nodes[folded] = slices.Repeat([]int{-1}, len(w.m.all))
			}
			nodes[folded][i] = at
		}
	}
	for _, name := range names {
		w.value(joined(path, name), nodes[strings.ToLower(name)], parents)
	}
}

func joined(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// value compares a value that some versions have.
func (w *walk) value(path string, nodes, parents []int) {
	canon := make([]string, len(nodes))
	same, divided := true, true
	for i, at := range nodes {
		if at < 0 {
			divided = false
		} else {
			d := w.draft(i)
			canon[i] = d.Canon(at)
			n, first := &d.List().Nodes[at], w.draft(0).List()
			divided = divided && nodes[0] >= 0 && d.Divided(at) && n.Kind == first.Nodes[nodes[0]].Kind && n.Type.String() == first.Nodes[nodes[0]].Type.String()
		}
		same = same && canon[i] == canon[0]
	}
	if same {
		return
	}
	if divided {
		switch n := &w.draft(0).List().Nodes[nodes[0]]; n.Kind {
		case property.Struct:
			w.fields(path, nodes)
			return
		case property.Map:
			if w.entries(path, nodes) {
				return
			}
		default:
			if w.elements(path, nodes, canon) {
				return
			}
		}
	}
	w.leaf(path, canon, nodes, parents)
}

// leaf compares a value as a whole.
func (w *walk) leaf(path string, canon []string, nodes, parents []int) *need {
	n := w.m.decide(w.name, path, canon, func(i int) string {
		if nodes[i] < 0 {
			return ""
		}
		return string(w.draft(i).JSON(nodes[i]))
	})
	if n != nil {
		n.kind, n.key, n.nodes, n.parent = needValue, w.key, nodes, parents
	}
	return n
}

// entries compares a map by its keys. It returns false for one that must be compared as a whole.
func (w *walk) entries(path string, nodes []int) bool {
	type entry struct {
		name  string
		nodes []int
	}
	var order []*entry
	byKey := map[string]*entry{}
	removed := w.draft(0).List().Nodes[nodes[0]].Bits
	for i, parent := range nodes {
		d := w.draft(i)
		if d.List().Nodes[parent].Bits != removed || removed > 0 {
			return false
		}
		key := -1
		for at := range d.List().Children(parent) {
			if key < 0 {
				key = at
				continue
			}
			canon := d.Canon(key)
			e := byKey[canon]
			if e == nil {
				e = &entry{d.KeyText(key), slices.Repeat([]int{-1}, len(nodes))}
				byKey[canon], order = e, append(order, e)
			}
			if e.nodes[i] >= 0 {
				return false // the key twice
			}
			e.nodes[i], key = at, -1
		}
	}
	for _, e := range order {
		w.value(path+"["+e.name+"]", e.nodes, nodes)
	}
	return true
}

// elements compares an array: by the places of its elements, or by the elements themselves. It
// returns false for one that must be compared as a whole.
func (w *walk) elements(path string, nodes []int, canon []string) bool {
	all := make([][]property.Element, len(nodes))
	equal, unique, packed := true, true, false
	for i, at := range nodes {
		if w.draft(i).List().Nodes[at].Kind == property.Set && w.draft(i).List().Nodes[at].Bits > 0 {
			return false
		}
		all[i] = w.draft(i).Elements(at)
		equal = equal && len(all[i]) == len(all[0])
		seen := map[string]bool{}
		for _, e := range all[i] {
			unique = unique && !seen[e.Canon]
			seen[e.Canon], packed = true, packed || e.Node < 0
		}
	}
	isSet := w.draft(0).List().Nodes[nodes[0]].Kind == property.Set
	if equal && !packed && !isSet && !moved(all) {
		for k := range all[0] {
			at := make([]int, len(nodes))
			for i := range at {
				at[i] = all[i][k].Node
			}
			w.value(fmt.Sprintf("%s[%d]", path, k), at, nodes)
		}
		return true
	}
	if !unique {
		return false
	}
	changed := 0
	for i := range nodes {
		if canon[i] != canon[0] {
			changed++
		}
	}
	if changed < 2 {
		return false // one version alone is taken as it is
	}
	parts, ordered, ok := joinElements(all)
	if !ok {
		return false
	}
	w.array(path, nodes, canon, all, parts, ordered)
	return true
}

// moved reports whether an element of a version is at another place than in the base.
func moved(all [][]property.Element) bool {
	at := map[string][]int{}
	for k, e := range all[0] {
		at[e.Canon] = append(at[e.Canon], k)
	}
	for _, elements := range all[1:] {
		for k, e := range elements {
			if e.Canon != all[0][k].Canon && len(at[e.Canon]) > 0 {
				return true
			}
		}
	}
	return false
}

// place is an element of a version.
type place struct{ version, element int }

// joinElements makes all changes of arrays whose elements are unique. ok is false if elements
// that stay have another order, or if two versions put different elements in the place of one.
func joinElements(all [][]property.Element) (parts []place, ordered, ok bool) {
	base := map[string]int{}
	for k, e := range all[0] {
		base[e.Canon] = k
	}
	gone := make([][]int, len(all[0]))            // versions that lack the element
	added := map[int]map[int][]int{}              // by gap in the base, by version
	replaced := make([]map[int]bool, len(all[0])) // versions that put something in its place
	for v, elements := range all[1:] {
		v++
		last, has := -1, map[int]bool{}
		for k, e := range elements {
			at, stays := base[e.Canon]
			if !stays {
				if added[last] == nil {
					added[last] = map[int][]int{}
				}
				added[last][v] = append(added[last][v], k)
				continue
			}
			if at < last {
				return nil, false, false
			}
			last, has[at] = at, true
		}
		filled := false
		for k := range all[0] {
			if has[k] {
				filled = false
				continue
			}
			gone[k] = append(gone[k], v)
			filled = filled || len(added[k-1][v]) > 0
			if filled {
				if replaced[k] == nil {
					replaced[k] = map[int]bool{}
				}
				replaced[k][v] = true
			}
		}
	}
	for k := range gone {
		if len(gone[k]) > 1 && len(replaced[k]) > 0 {
			return nil, false, false
		}
	}
	there := map[string]bool{}
	put := func(v, k int) {
		if canon := all[v][k].Canon; !there[canon] {
			there[canon], parts = true, append(parts, place{v, k})
		}
	}
	for gap := -1; gap < len(all[0]); gap++ {
		if gap >= 0 && len(gone[gap]) == 0 {
			put(0, gap)
		}
		ordered = ordered || len(added[gap]) > 1
		for _, v := range slices.Sorted(maps.Keys(added[gap])) {
			for _, k := range added[gap][v] {
				put(v, k)
			}
		}
	}
	return parts, ordered, true
}

// array notes an array whose elements come of several versions.
func (w *walk) array(path string, nodes []int, canon []string, all [][]property.Element, joined []place, ordered bool) {
	item := MergeItem{Object: w.name, Field: path, Base: string(w.draft(0).JSON(nodes[0])), Values: map[int]string{}, Taken: -1, Ordered: ordered}
	for i := 1; i < len(nodes); i++ {
		if canon[i] != canon[0] {
			item.Values[i-1], item.Taken = string(w.draft(i).JSON(nodes[i])), i-1
		}
	}
	n := need{object: w.name, item: len(w.m.items), kind: needArray, key: w.key, nodes: nodes}
	var result []property.Element
	for _, p := range joined {
		n.parts = append(n.parts, property.Part{From: w.draft(p.version), Element: all[p.version][p.element]})
		result = append(result, all[p.version][p.element])
	}
	for i := range all {
		if len(all[i]) > 0 {
			n.like = i
		}
	}
	for i := range nodes {
		n.canon = append(n.canon, elementsCanon(all[i]))
	}
	n.canon, n.from = append(n.canon, elementsCanon(result)), len(nodes) // the result is none of the versions
	w.m.items, w.m.needs = append(w.m.items, item), append(w.m.needs, n)
}

// rest compares the data after the list: of tables what is not in their entries.
func (w *walk) rest() {
	canon := make([]string, len(w.m.all))
	for i := range w.m.all {
		canon[i] = w.draft(i).Outside()
	}
	if n := w.m.decide(w.name, "data after its values", canon, func(int) string { return "there" }); n != nil {
		n.kind, n.key = needRest, w.key
	}
}

// chooseFrame returns the version from which the fewest steps lead to the result.
func (m *merger) chooseFrame() int {
	best, least := 0, [2]int{1 << 30, 1 << 30}
	for _, v := range append(m.order(), 0) {
		var cost [2]int
		for i := range m.needs {
			switch n := &m.needs[i]; {
			case n.canon[v] == n.canon[n.from]:
			case m.carriable(n, v) == nil:
				cost[1]++
			default:
				cost[0]++
			}
		}
		if slices.Compare(cost[:], least[:]) < 0 {
			best, least = v, cost
		}
	}
	return best
}

// order returns the versions, those that win first.
func (m *merger) order() (all []int) {
	for _, v := range m.o.Prefer {
		all = append(all, v+1)
	}
	for v := 1; v < len(m.all); v++ {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// carriable returns why a thing of its version cannot be put into another, nil if it can.
func (m *merger) carriable(n *need, into int) error {
	if n.kind == needFrame {
		return refuse("it belongs to the package as a whole")
	}
	dst, _ := m.all[into].export(n.key)
	switch _, there := m.all[into].exports[n.key]; {
	case n.kind == needObject && !there:
		if m.lacks == nil {
			m.lacks = map[int]map[string]error{}
		}
		if m.lacks[into] == nil {
			_, m.lacks[into] = m.objects(m.all[into].pkg, into)
		}
		return m.lacks[into][n.key]
	case dst == nil:
		return refuse("an object that the package lacks, or whose values are not understood")
	}
	return m.carry(dst.Carry(), n, into)
}

func refuse(why string) error { return fmt.Errorf("%w: %s", property.ErrRefused, why) }

// objects adds the objects to a package that version into lacks and the result has. It returns
// the others, and why they cannot be added.
func (m *merger) objects(p *Package, into int) (added []pkg.ExportCopy, lacks map[string]error) {
	lacks = map[string]error{}
	type object struct {
		n  *need
		of *version
		at int
		x  unreal.PackageExport
	}
	var pending, there []object
	for i := range m.needs {
		n := &m.needs[i]
		if _, ok := m.all[into].exports[n.key]; ok || n.kind != needObject {
			continue
		}
		of := m.all[n.from]
		at, ok := of.exports[n.key]
		switch {
		case !ok:
		case p.frame.legacy == nil:
			lacks[n.key] = refuse("more objects in a Zen package")
		case len(p.facts.Bulk)+len(of.pkg.facts.Bulk) > 0:
			lacks[n.key] = refuse("more objects in a package with bulk data")
		case of.drafts[at] == nil:
			lacks[n.key] = refuse("an object whose values are not understood")
		default:
			pending = append(pending, object{n: n, of: of, at: at})
		}
	}
	for progress := true; progress; { // an object comes after those that it is in and made of
		progress = false
		pending = slices.DeleteFunc(pending, func(o object) bool {
			var err error
			if o.x, err = p.decoder.AddExport(o.of.pkg.decoder, o.at); err != nil {
				lacks[o.n.key] = err
				return false
			}
			delete(lacks, o.n.key)
			there, progress = append(there, o), true
			return true
		})
	}
	for _, o := range there {
		legacy := o.of.pkg.frame.legacy
		var waits []unreal.ObjectRef
		if legacy.PreloadSpans != nil && legacy.PreloadSpans[o.at].First >= 0 {
			span := legacy.PreloadSpans[o.at]
			waits = legacy.Preload[span.First:][:span.Len()]
		}
		data, preload, err := p.decoder.TakeExport(o.of.drafts[o.at], waits)
		if err != nil {
			lacks[o.n.key] = err
			continue
		}
		added = append(added, pkg.ExportCopy{Of: o.at, Name: o.x.Name, Other: &pkg.OtherExport{
			Package: legacy, Asset: o.of.pkg.frame.asset, Export: o.x, Data: data, Preload: preload}})
	}
	return added, lacks
}

// carry puts a thing of its version into another.
func (m *merger) carry(c *property.Carrier, n *need, into int) error {
	if n.kind == needArray {
		if n.nodes[into] < 0 {
			return property.ErrRefused
		}
		like, _ := m.all[n.like].export(n.key)
		return c.Array(n.nodes[into], like, n.nodes[n.like], n.parts)
	}
	src, _ := m.all[n.from].export(n.key)
	if src == nil {
		return refuse("an object that the package lacks")
	}
	switch n.kind {
	case needRest:
		return c.Rest(src)
	case needObject:
		if m.header(m.all[into], n.key) != m.header(m.all[n.from], n.key) {
			return refuse("an object that is made of another one")
		}
		return c.Whole(src)
	case needWhole:
		return c.Whole(src)
	}
	at, from := n.nodes[into], n.nodes[n.from]
	switch {
	case from < 0:
		return c.Remove(at)
	case at < 0:
		return c.Insert(n.parent[into], src, from)
	}
	return c.Replace(at, src, from)
}

// stuck names what the frame lacks and cannot take.
func (m *merger) stuck(out *Merged) {
	frame := out.Frame + 1
	for i := range m.needs {
		n := &m.needs[i]
		item := &out.Items[n.item]
		if n.canon[frame] == n.canon[n.from] || item.Open {
			continue
		}
		err := m.carriable(n, frame)
		if err == nil {
			continue
		}
		item.Why = "it cannot be carried into the package with " + m.others(frame)
		if n.kind != needFrame {
			item.Why += ": " + strings.TrimPrefix(err.Error(), property.ErrRefused.Error()+": ")
		}
		if item.Open = len(m.o.Prefer) == 0; !item.Open {
			item.Taken = out.Frame
			n.from = frame
		}
	}
}

// others says what a package brings that others cannot take.
func (m *merger) others(frame int) string {
	for i := range m.needs {
		if n := &m.needs[i]; n.kind != needValue && n.canon[frame] == n.canon[n.from] && n.canon[frame] != n.canon[0] {
			return cmp.Or(strings.TrimPrefix(m.items[n.item].Object+" "+m.items[n.item].Field, " "), "other tables")
		}
	}
	return "the other values"
}

// write makes the result of one of the packages, nil if it is that package.
func (m *merger) write(ctx context.Context, into int) (*frame, error) {
	of := m.all[into].pkg
	p, err := of.with(of.frame)
	if err != nil {
		return nil, err
	}
	added, lacks := m.objects(p, into)
	for key, err := range lacks {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	byExport := map[string][]*need{}
	for i := range m.needs {
		n := &m.needs[i]
		if _, there := m.all[into].exports[n.key]; n.canon[into] != n.canon[n.from] && (there || n.kind != needObject) {
			byExport[n.key] = append(byExport[n.key], n)
		}
	}
	if len(byExport)+len(added) == 0 {
		return nil, nil
	}
	changed := map[int]*property.Draft{}
	for _, key := range slices.Sorted(maps.Keys(byExport)) {
		i := m.all[into].exports[key]
		old := m.all[into].drafts[i]
		d, err := p.decoder.Edit(i, p.frame.data(i))
		if err != nil {
			return nil, err
		}
		if from, to := old.Code(); from == to {
			d.LinkCode(nil)
		}
		c := d.Carry()
		for _, n := range byExport[key] {
			if err := m.carry(c, n, into); err != nil {
				return nil, fmt.Errorf("%s: %w", m.items[n.item].Object+"."+m.items[n.item].Field, err)
			}
		}
		if err := c.Apply(); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		changed[i] = d
	}
	after, err := p.frame.write(ctx, changed, p.decoder.Added(), added...)
	if err != nil {
		return nil, err
	}
	return after, m.prove(after, into)
}

// with reads the package in other bytes, by the engine and the classes of this one.
func (p *Package) with(f *frame) (*Package, error) {
	o := p.options
	o.Engine, o.Schemas = p.engine, p.schemas
	return open(f, o)
}

// prove reads the result and compares it with all versions again: where any two differ, it must
// have what was decided.
func (m *merger) prove(after *frame, into int) error {
	p, err := m.all[into].pkg.with(after)
	if err != nil {
		return err
	}
	result, err := newVersion(p)
	if err != nil {
		return err
	}
	again := &merger{all: append(slices.Clip(m.all), result)}
	if len(m.o.Beside) > 0 {
		again.o.Beside = append(slices.Clip(m.o.Beside), m.o.Beside[into])
	}
	again.packages()
	type thing struct {
		object, field string
		kind          needKind
	}
	decided := map[thing]*need{}
	for i := range m.needs {
		n := &m.needs[i]
		decided[thing{n.object, m.items[n.item].Field, n.kind}] = n
	}
	for i := range again.needs {
		n := &again.needs[i]
		item := &again.items[n.item]
		was := decided[thing{n.object, item.Field, n.kind}]
		if was == nil && n.kind == needArray {
			was = decided[thing{n.object, item.Field, needValue}]
		} else if was == nil && n.kind == needValue {
			was = decided[thing{n.object, item.Field, needArray}]
		}
		got := n.canon[len(m.all)]
		if was != nil && was.kind != n.kind { // one of both takes the array as a whole
			d, _ := result.export(n.key)
			if got = d.Canon(n.nodes[len(m.all)]); was.kind == needArray {
				got = elementsCanon(d.Elements(n.nodes[len(m.all)]))
			}
		}
		if was == nil || got != was.canon[was.from] {
			return fmt.Errorf("%w: %s.%s has another value", ErrProof, item.Object, item.Field)
		}
	}
	return nil
}

func elementsCanon(all []property.Element) (sum string) {
	for _, e := range all {
		sum += fmt.Sprintf("%d:%s", len(e.Canon), e.Canon)
	}
	return sum
}
