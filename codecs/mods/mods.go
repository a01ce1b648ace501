// Package mods changes, compares and merges what mods of games change: values in packages of
// Unreal Engine 1 to 5, and texts.
//
//	p, err := mods.Open(ctx, asset, uexp, mods.Options{Schemas: mappings})
//	err = p.Set("Default__BP_Rifle_C", "Damage", "28.8")
//	asset, uexp, err = p.Files(ctx)
//
// Bytes that no edit concerns stay as they are. Files reads the result back: exactly the
// values that were set differ, and all other exports are equal. Else it fails, as does every
// edit of a value that cannot be written safely; errors name the field and the reason.
//
// An [Edit] is one entry of a list of changes, which [Package.JSONEdits] makes of JSON. What
// [OpenText] opens takes them as well: .locres, .ini, .json, .csv and .xml, and more.
//
// A [Merging] makes one mod of several, a [Rebase] carries one to another build, and [DiffUnit]
// makes a list of edits of one. They know archives and the order of mounts, and no catalog.
//
// Legacy packages of UE 4.10 to 5.8 are written, and Zen packages of UE 5.3 to 5.8, with
// tagged and with unversioned lists, and packages of UE1 to UE3 that are not compressed.
// codecs/internal/pkg/FORMAT.md says what is written of the package, codecs/internal/property/FORMAT.md of
// its values.
package mods

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/internal/glob"
)

// The classes of errors of edits, and what one says of a field that is not there.
var (
	ErrRefused  = property.ErrRefused
	ErrValue    = property.ErrValue
	ErrNoObject = property.ErrNoObject
)

// NoFieldError is the error of a field that an object lacks.
type NoFieldError = property.NoFieldError

// Options say what a package does not. The zero value reads most packages.
type Options struct {
	// Name is the long name of the package, "/Game/A/B": see [unreal.LongName].
	Name string
	// Engine is the one that cooked a package without versions; 0 takes the one by which
	// most of it is understood.
	Engine property.Engine
	// Schemas are needed for unversioned lists, and to add fields. Nil knows what the package
	// declares itself.
	Schemas property.Schemas
	// CanImport says whether a value may refer to an object of a package that this one does
	// not import yet. Nil allows all.
	CanImport func(pkg string) error
}

// Package is a package whose values are being changed. It is for one goroutine.
type Package struct {
	options Options
	frame   *frame
	facts   *unreal.PackageFacts // with the names and imports that edits added
	engine  property.Engine
	schemas *property.Library
	decoder *property.Decoder
	drafts  map[int]*property.Draft
	touched map[int][]string // paths that were edited, by export
	changes []Change
	made    map[string]bool // entries that edits added
}

// Change is an edit that was made.
type Change struct {
	Object, Field string
	Old, New      string // as the value is shown; "" where it is inherited, or removed
	// Namespace and Key are those by which a game looks the new text up: it shows the
	// translation, where there is one. Key is "" for other values.
	Namespace, Key string
}

// Open reads a package: its .uasset or .umap, and its .uexp, nil unless the package is
// split. It fails for packages that are not written.
func Open(ctx context.Context, asset, uexp []byte, o Options) (*Package, error) {
	f, err := readFrame(ctx, asset, uexp)
	if err != nil {
		return nil, err
	}
	return open(f, o)
}

// OpenZen reads a package of an IoStore container. The objects of the program are known by
// globals, from global.utoc, or from mappings; nil knows none, and values are read where
// no class needs to be known.
func OpenZen(chunk []byte, globals *unreal.ScriptObjectFacts, o Options) (*Package, error) {
	f, err := readZenFrame(chunk, globals)
	if err != nil {
		return nil, err
	}
	return open(f, o)
}

func open(f *frame, o Options) (*Package, error) {
	err := f.check()
	if err != nil {
		return nil, err
	}
	facts := *f.facts()
	o.Name = cmp.Or(facts.Name, o.Name)
	p := &Package{options: o, frame: f, facts: &facts, drafts: map[int]*property.Draft{}, touched: map[int][]string{}, made: map[string]bool{}}
	if f.classic() {
		p.schemas = property.NewLibrary()
	} else {
		p.chooseEngine()
	}
	if p.decoder, err = p.newDecoder(p.facts, f); err != nil {
		return nil, err
	}
	p.decoder.RestrictImports(o.CanImport)
	return p, nil
}

// newDecoder returns what reads the values of a frame, by its tables with those that edits added.
func (p *Package) newDecoder(f *unreal.PackageFacts, of *frame) (*property.Decoder, error) {
	if of.classic() {
		return property.NewClassicEditor(f, func(i int) ([]byte, error) { return of.data(i), nil })
	}
	return property.NewDecoder(f, property.Options{Name: p.options.Name, Engine: p.engine, Schemas: p.schemas}), nil
}

// chooseEngine decides by which engine's rules values are read, and learns what the package
// declares.
func (p *Package) chooseEngine() {
	engines := []property.Engine{p.options.Engine}
	if p.options.Engine == 0 {
		engines = property.Candidates(p.facts)
	}
	var best *property.Coverage
	for _, e := range engines {
		c, lib := p.coverage(e)
		if best == nil || c.Better(best) {
			best, p.engine, p.schemas = c, e, lib
		}
	}
}

// coverage reads all exports as an engine stores them.
func (p *Package) coverage(e property.Engine) (*property.Coverage, *property.Library) {
	lib := property.NewLibrary()
	if p.options.Schemas != nil {
		lib = property.NewLibrary(p.options.Schemas)
	}
	d := property.NewDecoder(p.facts, property.Options{Name: p.options.Name, Engine: e, Schemas: lib})
	sum := &property.Coverage{}
	var x property.Export
	for i := range p.facts.Exports {
		d.Export(&x, i, p.frame.data(i))
		sum.Add(&x.Coverage)
		if x.Schema != nil {
			lib.Add(x.Schema)
		}
		if x.Enum != nil {
			lib.AddEnum(x.Enum)
		}
	}
	return sum, lib
}

// Objects returns the names of the exports, in order: "Default__BP_Rifle_C",
// "BP_Rifle_C.Mesh".
func (p *Package) Objects() []string {
	names := make([]string, len(p.facts.Exports))
	for i := range names {
		names[i] = p.decoder.ObjectPath(unreal.ObjectRef(i + 1))
	}
	return names
}

// find returns the draft of an object, and the value at a path of it. Without an object the
// field must be in one export only.
func (p *Package) find(object, field string) (int, *property.Draft, property.Target, error) {
	if object == "" {
		return p.findAny(field)
	}
	names := p.Objects()
	object = strings.ReplaceAll(object, ":", ".")
	for i, name := range names {
		if object != fmt.Sprint("#", i) && !strings.EqualFold(name, object) && !strings.EqualFold(p.facts.NameOf(p.facts.Exports[i].Name), object) {
			continue
		}
		d, err := p.draft(i)
		if err != nil {
			return 0, nil, property.Target{}, fmt.Errorf("%s: %w", name, err)
		}
		t, err := d.Find(field)
		if err != nil {
			p.openAll() // another object may say what type the field has
			t, err = d.Find(field)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return i, d, t, err
	}
	err := fmt.Errorf("no object %s: %w", object, &property.NoFieldError{Path: field, Near: glob.Nearest(object, names)})
	return 0, nil, property.Target{}, err
}

// AmbiguousError says that several objects have a field.
type AmbiguousError struct {
	Field   string
	Objects []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d objects have a field %s: %s", len(e.Objects), e.Field, strings.Join(e.Objects[:min(len(e.Objects), 8)], ", "))
}

func (p *Package) findAny(field string) (at int, draft *property.Draft, target property.Target, err error) {
	var holders []string
	p.openAll()
	absent, near := []int{}, []string{}
	var lost error // the first list that cannot be read
	for i := range p.facts.Exports {
		d, failed := p.draft(i)
		if failed != nil {
			lost = cmp.Or(lost, fmt.Errorf("%s: %w", p.decoder.ObjectPath(unreal.ObjectRef(i+1)), failed))
			continue
		}
		t, failed := d.Find(field)
		var none *property.NoFieldError
		switch {
		case errors.As(failed, &none):
			near = append(near, none.Near...)
		case failed != nil:
			return 0, nil, t, failed
		case !t.Exists():
			absent = append(absent, i)
		default:
			at, draft, target = i, d, t
			holders = append(holders, p.decoder.ObjectPath(unreal.ObjectRef(i+1)))
		}
	}
	switch {
	case len(holders) == 1:
		return at, draft, target, nil
	case len(holders) > 1:
		return 0, nil, target, &AmbiguousError{field, holders}
	case len(absent) == 1:
		draft, _ = p.draft(absent[0])
		target, err = draft.Find(field)
		return absent[0], draft, target, err
	case len(absent) > 1:
		for _, i := range absent {
			holders = append(holders, p.decoder.ObjectPath(unreal.ObjectRef(i+1)))
		}
		return 0, nil, target, &AmbiguousError{field, holders}
	}
	slices.Sort(near)
	err = &property.NoFieldError{Path: field, Near: glob.Nearest(field, slices.Compact(near))}
	if lost != nil {
		err = fmt.Errorf("%w in what can be read; %w", err, lost)
	}
	return 0, nil, target, err
}

// openAll reads all objects that can be read.
func (p *Package) openAll() {
	for i := range p.facts.Exports {
		_, _ = p.draft(i)
	}
}

func (p *Package) draft(i int) (*property.Draft, error) {
	if d := p.drafts[i]; d != nil {
		return d, nil
	}
	d, err := p.decoder.Edit(i, p.frame.data(i))
	if err == nil {
		p.drafts[i] = d
	}
	return d, err
}

// edit does something to a value and notes it.
func (p *Package) edit(object, field string, do func(*property.Draft, property.Target) error) error {
	i, d, t, err := p.find(object, field)
	if err != nil {
		return err
	}
	c := Change{Object: p.decoder.ObjectPath(unreal.ObjectRef(i + 1)), Field: field, Old: shown(d, t)}
	if err := do(d, t); err != nil {
		return fmt.Errorf("%s.%s: %w", c.Object, field, err)
	}
	if now, err := d.Find(field); err == nil && now.Exists() {
		c.New = shown(d, now)
		c.Namespace, c.Key, _ = d.TextKey(now)
	}
	p.touched[i] = append(p.touched[i], field)
	p.changes = append(p.changes, c)
	return nil
}

// shown returns a value as comparisons show it.
func shown(d *property.Draft, t property.Target) string {
	text := fmt.Sprint(d.Shown(t))
	if d.Kind(t) == property.Bool {
		return map[string]string{"0": "false", "1": "true"}[text]
	}
	return text
}

// Set gives a field of an object a value: see [property.Draft.Set]. Object is as
// [Package.Objects] has it, the object's own name, or "#3" for the export of that number; ""
// is the only object that has the field. Field is a path as the view properties has it: "Stats.Damage", "Rows[Rifle].Cost".
func (p *Package) Set(object, field, value string) error {
	return p.edit(object, field, func(d *property.Draft, t property.Target) error { return d.Set(t, value) })
}

// Get returns a value as it is shown.
func (p *Package) Get(object, field string) (any, error) {
	_, d, t, err := p.find(object, field)
	if err != nil {
		return nil, err
	}
	return d.Shown(t), nil
}

// Remove removes a field, which is inherited from then on, an element of an array, an entry
// of a map or a row of a table.
func (p *Package) Remove(object, field string) error {
	err := p.edit(object, field, func(d *property.Draft, t property.Target) error { return d.Remove(t) })
	if err == nil {
		p.changes[len(p.changes)-1].New = "" // another element may have its place
	}
	if at := strings.LastIndexByte(field, '['); err == nil && at > 0 && strings.HasSuffix(field, "]") {
		// The elements after it move up.
		for i := range p.touched {
			if last := len(p.touched[i]) - 1; p.touched[i][last] == field {
				p.touched[i][last] = field[:at]
			}
		}
	}
	return err
}

// Append adds an element to an array: see [property.Draft.Append].
func (p *Package) Append(object, field, value string) error {
	return p.edit(object, field, func(d *property.Draft, t property.Target) error { return d.Append(t, value) })
}

// Duplicate adds an export: a copy of an object, under another name, with its outer and what
// it waits for. It comes before all other edits, which may concern the copy then. Packages of
// containers, and those with bulk data, are refused.
func (p *Package) Duplicate(object, name string) error {
	of := -1
	for i, known := range p.Objects() {
		if object == fmt.Sprint("#", i) || strings.EqualFold(known, strings.ReplaceAll(object, ":", ".")) {
			of = i
		}
	}
	switch {
	case p.frame.zen != nil:
		return fmt.Errorf("%w: more objects in a Zen package: convert it to a legacy one", property.ErrRefused)
	case of < 0:
		return fmt.Errorf("no object %s: %w", object, &property.NoFieldError{Path: object, Near: glob.Nearest(object, p.Objects())})
	case len(p.touched) > 0:
		return fmt.Errorf("%w: objects are duplicated before other edits", property.ErrRefused)
	case name == "" || strings.ContainsAny(name, ".:/\\ '\""):
		return fmt.Errorf("%w: %q is no name of an object", property.ErrValue, name)
	}
	for i := range p.facts.Exports {
		if p.facts.Exports[i].Outer == p.facts.Exports[of].Outer && strings.EqualFold(p.facts.NameOf(p.facts.Exports[i].Name), name) {
			return fmt.Errorf("%w: there is already an object %s", property.ErrValue, name)
		}
	}
	old := p.frame.legacy
	c := &pkg.Changes{}
	at := slices.IndexFunc(old.Names, func(n unreal.PackageName) bool { return n.Text == name })
	if at < 0 {
		at, c.Names = len(old.Names), []string{name}
	}
	c.Copies = []pkg.ExportCopy{{Of: of, Name: unreal.ObjectName{Index: int32(at)}}}
	ctx := context.Background() // one package
	asset, uexp, err := old.Rewrite(ctx, p.frame.asset, p.frame.uexp, c)
	if err != nil {
		return err
	}
	was := p.decoder.ObjectPath(unreal.ObjectRef(of + 1))
	if p.frame, err = readFrame(ctx, asset, uexp); err != nil {
		return err
	}
	facts := *p.frame.facts()
	p.facts, p.drafts = &facts, map[int]*property.Draft{}
	if p.decoder, err = p.newDecoder(p.facts, p.frame); err != nil {
		return err
	}
	p.decoder.RestrictImports(p.options.CanImport)
	p.changes = append(p.changes, Change{Field: p.decoder.ObjectPath(unreal.ObjectRef(len(facts.Exports))), New: "copy of " + was})
	return nil
}

// Copy adds a copy of an entry of a map, or of a row of a table, under another key.
func (p *Package) Copy(object, field, key string) error {
	err := p.keyed(object, field, key, (*property.Draft).Copy)
	if err == nil {
		c := &p.changes[len(p.changes)-1]
		c.Field, c.Old, c.New = field[:strings.LastIndexByte(field, '[')]+"["+key+"]", "", "copy of "+field
	}
	return err
}

// Rename gives an entry of a map, or a row of a table, another key.
func (p *Package) Rename(object, field, key string) error {
	return p.keyed(object, field, key, (*property.Draft).Rename)
}

func (p *Package) keyed(object, field, key string, do func(*property.Draft, property.Target, string) error) error {
	err := p.edit(object, field, func(d *property.Draft, t property.Target) error { return do(d, t, key) })
	if err != nil {
		return err
	}
	i, _, _, err := p.find(object, field[:strings.LastIndexByte(field, '[')]+"["+key+"]")
	if err == nil {
		p.touched[i] = append(p.touched[i], field[:strings.LastIndexByte(field, '[')]+"["+key+"]")
	}
	return err
}

// Changes returns the edits that were made, in order.
func (p *Package) Changes() []Change { return p.changes }

// Files returns the files of the package with the edits, uexp nil unless it is split. They
// were read back and compared.
func (p *Package) Files(ctx context.Context) (asset, uexp []byte, err error) {
	f, err := p.result(ctx)
	if err != nil {
		return nil, nil, err
	}
	return f.asset, f.uexp, nil
}

// result makes the changes, reads them back, and compares them with what was asked for.
func (p *Package) result(ctx context.Context) (*frame, error) {
	changed := map[int]*property.Draft{}
	for i, d := range p.drafts {
		if len(p.touched[i]) > 0 && !bytes.Equal(d.Data(), p.frame.data(i)) {
			changed[i] = d
		}
	}
	if len(changed) == 0 {
		return p.frame, nil
	}
	after, err := p.frame.write(ctx, changed, p.decoder.Added())
	if err != nil {
		return nil, err
	}
	return after, p.prove(after, changed)
}

// ErrProof is wrapped by errors about results that do not read back as asked.
var ErrProof = errors.New("the result would not read back as asked")

// prove compares all values of the exports that were edited, before and after: what differs
// must lie at the paths that were edited.
func (p *Package) prove(after *frame, changed map[int]*property.Draft) error {
	before, err := p.newDecoder(p.frame.facts(), p.frame)
	if err != nil {
		return err
	}
	next, err := p.newDecoder(after.facts(), after)
	if err != nil {
		return err
	}
	var x, y property.Export
	for i := range changed {
		before.Export(&x, i, p.frame.data(i))
		next.Export(&y, i, after.data(i))
		if x.Status != y.Status || x.Tail != y.Tail || !bytes.Equal(tail(p.frame.data(i), x.Tail), tail(after.data(i), y.Tail)) {
			return fmt.Errorf("%w: other data after the values of export %d", ErrProof, i)
		}
		for _, diff := range property.Changed(before, &x.List, next, &y.List) {
			if !slices.ContainsFunc(p.touched[i], func(path string) bool { return concerns(path, diff.Path) }) {
				return fmt.Errorf("%w: %s of %s would change", ErrProof, diff.Path, p.decoder.ObjectPath(unreal.ObjectRef(i+1)))
			}
		}
	}
	return nil
}

func tail(b []byte, n int) []byte { return b[len(b)-n:] }

// concerns reports whether an edit at a path may change the value at another: at the path
// or below it, or, where elements move, in the same container.
func concerns(edited, path string) bool {
	if len(path) >= len(edited) && strings.EqualFold(path[:len(edited)], edited) {
		return len(path) == len(edited) || strings.IndexByte(".[#", path[len(edited)]) >= 0
	}
	return len(path) < len(edited) && strings.EqualFold(edited[:len(path)], path)
}
