package rows

import (
	"database/sql/driver"
	"fmt"
	"io"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
)

// Script is the code of a package.
type Script struct {
	Functions []script.Function

	natives func(number int) (string, bool)
}

// ReadScript disassembles the code of a package of any generation of the engine: its
// functions, and states and classes that have some. data returns the bytes of an
// export. Native functions of UE1 to UE3 go by the names that the package declares,
// or that all games have for them.
func ReadScript(f *unreal.PackageFacts, data func(export int) ([]byte, error)) (*Script, error) {
	if f.Modern() {
		list, err := script.Kismet(f, data, script.KismetOptions{})
		return &Script{Functions: list}, err
	}
	list, err := script.Classic(f, data)
	natives := script.DeclaredNatives(list)
	natives.Add(script.CommonNatives(f.Version))
	s := &Script{natives: natives.Name}
	for _, o := range list {
		if o.Err != nil || o.Memory > 0 {
			s.Functions = append(s.Functions, o.Function)
		}
	}
	return s, err
}

// Texts returns the texts of the functions that were understood, by their paths.
func (s *Script) Texts() map[string]string {
	texts := make(map[string]string, len(s.Functions))
	for i := range s.Functions {
		if f := &s.Functions[i]; f.Err == nil {
			texts[f.Path] = s.Text(f)
		}
	}
	return texts
}

// Text returns the text of one of the functions that were understood.
func (s *Script) Text(f *script.Function) string {
	return string(f.Normal.AppendNamed(nil, s.natives))
}

// Write writes functions as text, an empty line between them.
func (s *Script) Write(w io.Writer) error {
	var b []byte
	for i := range s.Functions {
		f := &s.Functions[i]
		b = b[:0]
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(append(b, f.Path...), '\n')
		if f.Err != nil {
			b = fmt.Appendf(b, "  opaque: %v\n", f.Err)
		} else {
			b = f.Normal.AppendNamed(b, s.natives)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// Code returns the classes of the package as people write them, with blocks in place of jumps.
// It is empty for a package without code. The error is that of reading the package.
func (p *Package) Code() ([]byte, error) {
	f := p.PackageFacts
	if !f.Modern() {
		values, err := property.NewClassicDecoder(f, p.Bytes)
		if err != nil {
			return nil, err
		}
		return script.AppendClassic(nil, f, p.Bytes, func(export int, sized map[string]bool) []byte { return defaultsOf(f, values, p.Bytes, export, sized) })
	}
	d := p.decoder()
	return script.AppendKismet(nil, f, p.Bytes, script.KismetValues{ListEnd: d.ListEnd, Of: func(export int) ([]script.KismetValue, error) {
		return p.values(d, export)
	}})
}

// Table is the table of functions: opaque ones have a reason in place of a text.
func (s *Script) Table() Table {
	columns := []string{"export", "function", "class", "flags", "size", "memory", "calls", "text", "opaque"}
	return Table{columns, func(_ *Package, write func(...driver.Value) error) error {
		for i := range s.Functions {
			f := &s.Functions[i]
			var text, opaque driver.Value
			if f.Err != nil {
				opaque = f.Err.Error()
			} else {
				text = s.Text(f)
			}
			if err := write(int64(f.Export+1), f.Path, f.Class, fmt.Sprintf("0x%08x", f.Flags), int64(f.Disk), int64(f.Memory), int64(len(f.Calls)), text, opaque); err != nil {
				return err
			}
		}
		return nil
	}}
}
