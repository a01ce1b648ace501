package bundle

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Module is a module that a program links.
type Module struct {
	Path, Version string
}

// Program is a built program and what it links.
type Program struct {
	Name    string // without .exe
	Go      string // as "go1.26.8"
	SHA256  string
	Modules []Module // sorted
}

// ReadProgram reads from a binary which modules it links.
func ReadProgram(name string) (*Program, error) {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return nil, err
	}
	sum, err := sumFile(name)
	if err != nil {
		return nil, err
	}
	p := &Program{Name: strings.TrimSuffix(filepath.Base(name), ".exe"), Go: info.GoVersion, SHA256: sum}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		p.Modules = append(p.Modules, Module{m.Path, m.Version})
	}
	slices.SortFunc(p.Modules, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// union returns what any of the programs links, sorted.
func union(programs []*Program) (all []Module) {
	for _, p := range programs {
		all = append(all, p.Modules...)
	}
	slices.SortFunc(all, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(all)
}

// row is a module in the tables of docs/dependencies.md: module, purpose, licences.
var row = regexp.MustCompile(`(?m)^\| ([^ |]+/[^ |]+) \| ([^|]+) \| ([^|]+) \|$`)

// Documented is a module as docs/dependencies.md describes it.
type Documented struct {
	Licences  []string // SPDX identifiers
	TestsOnly bool     // no binary may link it
}

// ParseDependencies returns the modules of docs/dependencies.md, by their paths. What
// is in parentheses beside a licence is an explanation.
func ParseDependencies(text string) map[string]Documented {
	known := map[string]Documented{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(` \([^)]*\)`).ReplaceAllString(m[3], "")
		known[m[1]] = Documented{strings.Split(plain, ", "), strings.HasPrefix(m[2], "tests:")}
	}
	return known
}

// legal are the files of a module that must be passed on with it.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents|unlicense)([-_.].*)?$`)

// WriteLicences writes the legal files of the Go distribution, whose root is goroot,
// and of all modules that the programs link. folders says where the sources of a
// module are. It fails if a module has no legal file.
func WriteLicences(w io.Writer, programs []*Program, goroot string, folders map[string]string) error {
	_, err := fmt.Fprint(w, "The programs contain the following works of others.\n")
	if err == nil {
		err = writeLegal(w, "The Go standard library and runtime, "+programs[0].Go, goroot)
	}
	for _, m := range union(programs) {
		if err != nil {
			break
		}
		if folders[m.Path] == "" {
			return fmt.Errorf("%s: the folder of its sources is not known", m.Path)
		}
		err = writeLegal(w, m.Path+" "+m.Version, folders[m.Path])
	}
	return err
}

func writeLegal(w io.Writer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		plain := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
		if _, err := fmt.Fprintf(w, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), title, e.Name(), plain); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s: no licence in %s", title, dir)
	}
	return nil
}
