package unreal

import (
	"context"
	"fmt"
	"strings"

	"pakdb/codecs"
)

// Describe implements [codecs.Describer].
func (f *PackageFacts) Describe(_ context.Context, root *codecs.Node, _ codecs.Files) error {
	root.AddText("package", f.Name)
	root.AddText("engine", f.Engine)
	root.Add("version", packageVersion(f))
	root.AddText("layout", f.Layout)
	root.AddText("engine_version", f.EngineVersion)
	root.AddText("compatible_with", f.CompatibleEngine)
	root.Add("flags", fmt.Sprintf("0x%08x", f.Flags))
	root.AddText("guid", strings.ToUpper(f.GUID.String()))
	root.AddText("compression", f.Compression)
	if f.Split {
		root.Add("exports_in", ".uexp")
	}
	root.Add("names", int64(f.NameCount))
	describeImports(root, f)
	describeExports(root, f)
	for _, s := range f.SoftPackages {
		root.Add("soft_package", s.Name)
	}
	for _, s := range f.SoftObjects {
		root.Add("soft_object", s.Path())
	}
	return nil
}

func packageVersion(p *PackageFacts) string {
	switch {
	case p.Unversioned:
		return "unversioned"
	case p.Version5 != 0:
		return fmt.Sprintf("%d, UE5 %d", p.Version, p.Version5)
	}
	return fmt.Sprintf("%d/%d", p.Version, p.Licensee)
}

func describeImports(root *codecs.Node, p *PackageFacts) {
	list := root.Add("imports", nil)
	list.Note = fmt.Sprint(p.ImportCount)
	for i := range p.Imports {
		path, _ := p.PathOf(ObjectRef(-i - 1))
		list.Add(p.NameOf(p.Imports[i].Class), path)
	}
}

func describeExports(root *codecs.Node, p *PackageFacts) {
	list := root.Add("exports", nil)
	list.Note = fmt.Sprint(p.ExportCount)
	for i := range p.Exports {
		x := &p.Exports[i]
		path, _ := p.PathOf(ObjectRef(i + 1))
		export := list.Add(p.ClassOf(i), path)
		export.Note = fmt.Sprintf("%d bytes", x.Size)
		export.AddText("super", p.ObjectOf(x.Super))
		export.AddText("archetype", p.ObjectOf(x.Archetype))
	}
}

// Describe implements [codecs.Describer].
func (f *ContainerFacts) Describe(_ context.Context, root *codecs.Node, _ codecs.Files) error {
	root.Add("container", idText(f.ContainerID))
	root.Add("version", int64(f.Version))
	packages := root.Add("packages", nil)
	packages.Note = fmt.Sprint(len(f.Packages))
	for _, p := range f.Packages {
		stored := packages.Add("package", idText(p.ID))
		for _, id := range p.Imports {
			stored.Add("import", idText(id))
		}
		for _, id := range p.Soft {
			stored.Add("soft import", idText(id))
		}
	}
	root.AddCount("optional", len(f.Optional))
	for _, l := range f.Localized {
		root.Add("localized", idText(l.Source)).Note = l.Name
	}
	for _, r := range f.Redirects {
		root.Add("redirect", idText(r.Source)+" to "+idText(r.Target)).Note = r.Name
	}
	return nil
}

// Describe implements [codecs.Describer].
func (f *ScriptObjectFacts) Describe(_ context.Context, root *codecs.Node, _ codecs.Files) error {
	root.Add("objects", int64(len(f.Objects)))
	for i := range f.Objects {
		if path, ok := f.Path(f.Objects[i].ID); ok {
			root.Add(idText(f.Objects[i].ID), path)
		}
	}
	return nil
}

func idText(id uint64) string { return fmt.Sprintf("0x%016x", id) }
