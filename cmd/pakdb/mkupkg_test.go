package main

import (
	"os"
	"strconv"
	"strings"

	"pakdb/codecs/codecstest"
)

// mkupkg writes a small Unreal package:
//
//	mkupkg FILE IMPORT... [CLASS:NAME=DATA...] [save=N]
//
// CLASS may be empty: then the export is a class, and DATA a property of its defaults. Of
// others, DATA is behind a list without properties. With another N it has another GUID.
func mkupkg(file string, args []string) error {
	var p codecstest.Package
	for _, arg := range args {
		if n, ok := strings.CutPrefix(arg, "save="); ok {
			save, _ := strconv.Atoi(n)
			p.Save = uint32(save)
			continue
		}
		class, rest, ok := strings.Cut(arg, ":")
		if !ok {
			p.Imports = append(p.Imports, arg)
			continue
		}
		name, data, _ := strings.Cut(rest, "=")
		x := codecstest.Export{Name: name, Class: class, Tail: data}
		if class == "" {
			x.Ints, x.Tail = data+"=1", ""
		}
		p.Exports = append(p.Exports, x)
	}
	return os.WriteFile(file, p.Bytes(), 0o600)
}
