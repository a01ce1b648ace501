package rows

import (
	"encoding/binary"
	"strings"

	"pakdb/codecs/internal/script"
	"pakdb/internal/family"
)

// scriptRow is a function, or a state or class that has code.
type scriptRow struct {
	export                           int32
	native                           int32 // 0: none
	flags                            uint32
	statements, tokens, size, memory int32
	hash                             int64
	why                              int32 // text; -1: the code was understood
}

// useRow is what code calls, or an object or text that it names.
type useRow struct {
	export int32
	event  int32 // text; -1: none
	kind   useKind
	name   int32 // text
	count  int32
	target int64 // 0: none
}

// useKind reports what a useRow is: calls are numbered as [script.CallKind] does.
type useKind uint8

const (
	useObject useKind = iota + 8
	useSoft
	useString
	useText
)

// The tables of scripts; see 0021_scripts.sql.
var (
	scripts = family.NewTable("script", "",
		family.ValueColumn("ordinal", func(s *scriptRow) any { return int64(s.export) }),
		family.ValueColumn("flags", func(s *scriptRow) any { return int64(s.flags) }),
		family.ValueColumn("native", func(s *scriptRow) any {
			if s.native == 0 {
				return nil
			}
			return int64(s.native)
		}),
		family.ValueColumn("statements", func(s *scriptRow) any { return int64(s.statements) }),
		family.ValueColumn("tokens", func(s *scriptRow) any { return int64(s.tokens) }),
		family.ValueColumn("size", func(s *scriptRow) any { return int64(s.size) }),
		family.ValueColumn("memory", func(s *scriptRow) any { return int64(s.memory) }),
		family.ValueColumn("hash", func(s *scriptRow) any {
			if s.why >= 0 {
				return nil
			}
			return s.hash
		}),
		family.TextColumn("why_id", func(s *scriptRow) int32 { return s.why })).OfSet()
	uses = family.NewTable("script_use", "seq",
		family.ValueColumn("export", func(u *useRow) any { return int64(u.export) }),
		family.TextColumn("event_id", func(u *useRow) int32 { return u.event }),
		family.ValueColumn("kind", func(u *useRow) any { return int64(u.kind) }),
		family.TextColumn("name_id", func(u *useRow) int32 { return u.name }),
		family.ValueColumn("count", func(u *useRow) any { return int64(u.count) }),
		family.ValueColumn("target", func(u *useRow) any {
			if u.target == 0 {
				return nil
			}
			return u.target
		})).OfSet()
	spoken = family.NewTable("script_text", "",
		family.ValueColumn("seq", func(t *textRow) any { return t.seq }),
		family.TextColumn("namespace_id", func(t *textRow) int32 { return t.namespace }),
		family.TextColumn("key_id", func(t *textRow) int32 { return t.key })).OfSet()
)

// addScripts adds the code of the package.
func (m *maker) addScripts() error {
	if !m.p.Modern() {
		return m.addOldScripts()
	}
	list, err := script.Kismet(m.p.PackageFacts, m.p.bytes, script.KismetOptions{})
	if err != nil {
		return err
	}
	names := script.NewNames(m.p.PackageFacts)
	for i := range list {
		m.addScript(&list[i], names, 0, nil)
	}
	return nil
}

// addOldScripts adds the code of a package of UE1 to UE3, where native functions have the
// names that it declares, or that all games have for them.
func (m *maker) addOldScripts() error {
	list, err := script.Classic(m.p.PackageFacts, m.p.bytes)
	if err != nil {
		return err
	}
	natives := script.DeclaredNatives(list)
	natives.Add(script.CommonNatives(m.p.Version))
	names := script.NewNames(m.p.PackageFacts)
	for i := range list {
		o := &list[i]
		if o.Class == "Function" || o.Err != nil || o.Memory > 0 {
			m.addScript(&o.Function, names, o.Native, natives)
		}
	}
	return nil
}

func (m *maker) addScript(f *script.Function, names *script.Names, native int, natives script.Natives) {
	row := scriptRow{export: int32(f.Export), native: int32(native), flags: f.Flags, statements: int32(f.Statements), tokens: int32(f.Tokens),
		size: int32(f.Disk), memory: int32(f.Memory), why: -1}
	if f.Err != nil {
		row.why = m.text(f.Err.Error())
		m.p.lose(f.Export, codePart, f.Err)
		m.scripts = append(m.scripts, row)
		return
	}
	sum := f.Normal.Digest()
	row.hash = int64(binary.LittleEndian.Uint64(sum[:]))
	m.scripts = append(m.scripts, row)
	m.addUses(f, names, natives)
}

// addUses adds what a function calls and names, each once for an event, with the count.
// Paths of this package start with a point, as they do in the text.
func (m *maker) addUses(f *script.Function, names *script.Names, natives script.Natives) {
	at := map[useRow]int{}
	add := func(u useRow) (i int, fresh bool) {
		u.export = int32(f.Export)
		i, known := at[u]
		if !known {
			i = len(m.uses)
			at[u] = i
			m.uses = append(m.uses, u)
		}
		m.uses[i].count++
		return i, !known
	}
	events := f.Normal.Events()
	for _, c := range f.Calls {
		u := useRow{event: -1, kind: useKind(c.Kind), name: m.text(calleeOf(&c, natives)), target: packageKey(c.Callee)}
		if c.Statement < len(events) && events[c.Statement] != "" {
			u.event = m.text(events[c.Statement])
		}
		add(u)
	}
	for _, r := range f.Refs {
		if path := names.Path(r); r != 0 {
			add(useRow{event: -1, kind: useObject, name: m.text(path), target: packageKey(path)})
		}
	}
	for _, path := range f.Soft {
		add(useRow{event: -1, kind: useSoft, name: m.text(path), target: m.soft(path)})
	}
	for _, s := range f.Strings {
		add(useRow{event: -1, kind: useString, name: m.text(s)})
	}
	for _, t := range f.Texts {
		if i, fresh := add(useRow{event: -1, kind: useText, name: m.text(t.Source)}); fresh && t.Key != "" {
			m.spoken = append(m.spoken, textRow{int64(i), m.text(t.Namespace), m.text(t.Key)})
		}
	}
}

// calleeOf returns what a call is for: native functions go by their names where these are
// known.
func calleeOf(c *script.Call, natives script.Natives) string {
	if c.Kind == script.Native {
		if name, ok := natives.Name(c.Native()); ok {
			return name
		}
	}
	return c.Callee
}

// packageKey is the key of the package of a path, 0 of objects of the package itself.
func packageKey(path string) int64 {
	pkg, _, _ := strings.Cut(path, ".")
	if !strings.HasPrefix(pkg, "/") {
		return 0
	}
	return family.NameKey(pkg)
}
