package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The parts of CycloneDX 1.6 that are written.
type (
	bom struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		Hashes   []hash    `json:"hashes,omitempty"`
		Licences []licence `json:"licenses,omitempty"`
		PURL     string    `json:"purl,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licence struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// WriteSBOM writes a bill of materials (CycloneDX 1.6, JSON) of the programs of a
// release, without times and random numbers: equal programs have equal ones. known
// has the licences. It fails for a module that is not known, or is for tests.
func WriteSBOM(w io.Writer, version string, programs []*Program, known map[string]Documented) error {
	b := bom{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "application", Ref: "pakdb", Name: "pakdb", Version: version, Licences: licences("MIT")}
	all := dependency{Ref: "pakdb"}
	for _, p := range programs {
		ref := "program:" + p.Name
		all.DependsOn = append(all.DependsOn, ref)
		b.Components = append(b.Components, component{Type: "application", Ref: ref, Name: p.Name, Version: version,
			Hashes: []hash{{"SHA-256", p.SHA256}}, Licences: licences("MIT")})
		links := dependency{Ref: ref, DependsOn: []string{standard(p).Ref}}
		for _, m := range p.Modules {
			links.DependsOn = append(links.DependsOn, m.purl())
		}
		b.Dependencies = append(b.Dependencies, links)
	}
	b.Dependencies = append(b.Dependencies, all)
	b.Components = append(b.Components, standard(programs[0]))
	for _, m := range union(programs) {
		d, ok := known[m.Path]
		if !ok || d.TestsOnly {
			return fmt.Errorf("%s is linked, and docs/dependencies.md does not permit that", m.Path)
		}
		b.Components = append(b.Components, component{Type: "library", Ref: m.purl(), Name: m.Path, Version: m.Version,
			Licences: licences(d.Licences...), PURL: m.purl()})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(b)
}

// standard is the standard library.
func standard(p *Program) component {
	m := Module{"std", strings.TrimPrefix(p.Go, "go")}
	return component{Type: "library", Ref: m.purl(), Name: m.Path, Version: m.Version, Licences: licences("BSD-3-Clause"), PURL: m.purl()}
}

func (m Module) purl() string { return "pkg:golang/" + m.Path + "@" + m.Version }

func licences(ids ...string) (list []licence) {
	for _, id := range ids {
		var l licence
		l.License.ID = id
		list = append(list, l)
	}
	return list
}

// WriteSums writes the SHA-256 of each file in a folder, in order of their names, as
// sha256sum does.
func WriteSums(w io.Writer, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), "SHA256SUMS") {
			continue
		}
		sum, err := sumFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s  %s\n", sum, e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func sumFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
