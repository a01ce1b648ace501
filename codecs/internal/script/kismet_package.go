package script

import (
	"encoding/binary"
	"strings"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// ubergraph begins the name of the function that holds the events of a blueprint.
const ubergraph = "ExecuteUbergraph_"

// IsKismet reports whether an export of a package of UE4 or UE5 is a function.
func IsKismet(f *unreal.PackageFacts, export int) bool {
	switch f.ClassOf(export) {
	case "Function", "DelegateFunction", "SparseDelegateFunction":
		return true
	}
	return false
}

// KismetOptions change what [Kismet] makes of a package.
type KismetOptions struct {
	// Raw leaves calls of the ubergraph, and the ubergraph itself, as they are:
	// without sections by event.
	Raw bool
	// Links lists where the code refers to names and objects.
	Links bool
}

// Kismet returns the functions of a package of UE4 or UE5, in the order of
// its exports. data returns the bytes of an export; it may be called more than
// once for each. What could not be disassembled to its exact sizes has Err set:
// that is no failure of the package. The error is that of data.
//
// No mappings are needed: functions have no properties of their own, in
// unversioned packages either.
func Kismet(f *unreal.PackageFacts, data func(export int) ([]byte, error), opt KismetOptions) ([]Function, error) {
	works, err := kismetWorks(f, data, opt, nil)
	out := make([]Function, 0, len(works))
	for _, w := range works {
		out = append(out, w.fn)
	}
	return out, err
}

// kismetWorks is [Kismet] with what else was read. classes has those whose variables are
// known, for the names of interfaces.
func kismetWorks(f *unreal.PackageFacts, data func(export int) ([]byte, error), opt KismetOptions, classes map[unreal.ObjectRef]*kismetClass) ([]*work, error) {
	best, err := bestLayout(kismetLayouts(f), func(lay kismetLayout) ([]*work, int, error) {
		lay.raw, lay.links = opt.Raw, opt.Links
		return kismetAttempt(f, &lay, data, classes)
	})
	if err != nil {
		return nil, err
	}
	entries := events(best)
	for _, w := range best {
		if w.fn.Err == nil {
			w.fn.Normal = w.code.ByFlow(entries[w.fn.Export])
		}
	}
	return best, nil
}

// work is a function in the making.
type work struct {
	fn     Function
	fields []kismetField // parameters and variables, in order
	code   *Code
	stub   *stub
}

// kismetAttempt disassembles all functions by one layout, and counts those it fits.
func kismetAttempt(f *unreal.PackageFacts, lay *kismetLayout, data func(int) ([]byte, error), classes map[unreal.ObjectRef]*kismetClass) (works []*work, exact int, err error) {
	names := NewNames(f)
	for i := range f.Exports {
		if !IsKismet(f, i) {
			continue
		}
		b, err := data(i)
		if err != nil {
			return nil, 0, err
		}
		var members []kismetField
		if c := classes[f.Exports[i].Outer]; c != nil {
			members = c.fields
		}
		w := function(names, lay, i, b, members)
		if w.fn.Err == nil {
			exact++
		}
		works = append(works, w)
	}
	return works, exact, nil
}

// function disassembles one export, whose class has members.
func function(names *Names, lay *kismetLayout, export int, data []byte, members []kismetField) *work {
	w := &work{fn: Function{Export: export, Path: names.Own(export), Class: names.Facts.ClassOf(export)}}
	r := &kismetDisassembler{name: names.Facts.NameOf(names.Facts.Exports[export].Name), kismetOperands: kismetOperands{lay: lay,
		tokens: tokens{in: bin.NewReader(data, 0, binary.LittleEndian), names: names, fn: &w.fn}}}
	h := header{kismetOperands: &r.kismetOperands}
	memory, disk := h.read(names.Facts.Exports[export].Flags)
	w.fields = h.fields
	r.ifaces = interfaces(members, w.fields)
	w.fn.At, w.fn.Memory, w.fn.Disk = r.in.Pos(), memory, disk
	if w.fn.Err = r.failed(); w.fn.Err != nil {
		return w
	}
	body := r.in.Bytes(disk)
	rest := bin.NewReader(data[w.fn.At+disk:], int64(w.fn.At+disk), binary.LittleEndian)
	r.code = NewCode(disk)
	r.in, r.extra = bin.NewReader(body, 0, binary.LittleEndian), 0
	r.disassemble()
	w.code, w.stub = r.code, r.stub
	if w.fn.Err = r.sealed(memory, -1, false); w.fn.Err == nil {
		w.fn.Flags, w.fn.Err = tail(rest)
	}
	if w.fn.Err != nil {
		w.fn.Drop()
		w.stub = nil
	}
	w.fn.Statements = len(w.code.Statements)
	w.fn.End = len(data) - rest.Len()
	return w
}

// events returns where the events of each ubergraph enter it, by its export, and
// hides the jump that each of these begins with.
func events(works []*work) map[int][]Entry {
	byName := map[string]*work{}
	byExport := map[int]*work{}
	for _, w := range works {
		byName[lastOf(w.fn.Path)] = w
		byExport[w.fn.Export] = w
	}
	entries := map[int][]Entry{}
	for _, w := range works {
		if w.stub == nil {
			continue
		}
		graph := byName[w.stub.name]
		if i, ok := w.stub.graph.Export(); ok {
			graph = byExport[i]
		}
		if graph == nil || graph.fn.Err != nil || graph.code.Find(w.stub.at) < 0 {
			continue
		}
		entries[graph.fn.Export] = append(entries[graph.fn.Export], Entry{Event: lastOf(w.fn.Path), At: w.stub.at})
	}
	for export := range entries {
		statements := byExport[export].code.Statements
		for i := range statements {
			if statements[i].Token == 0x4E {
				statements[i].Flow = Leave
			}
		}
	}
	return entries
}

// lastOf returns the name of a function from its path, which may hold dots itself
// in front of it.
func lastOf(path string) string {
	return path[strings.LastIndexByte(path, ':')+1:]
}
