package meaning

import (
	"fmt"
	"strings"

	"pakdb/codecs/unreal"
)

func describePackage(root *Node, p *unreal.PackageFacts) {
	root.addText("package", p.Name)
	root.addText("engine", p.Engine)
	root.Add("version", packageVersion(p))
	root.addText("layout", p.Layout)
	root.addText("engine_version", p.EngineVersion)
	root.addText("compatible_with", p.CompatibleEngine)
	root.Add("flags", fmt.Sprintf("0x%08x", p.Flags))
	root.addText("guid", strings.ToUpper(p.GUID.String()))
	root.addText("compression", p.Compression)
	if p.Split {
		root.Add("exports_in", ".uexp")
	}
	root.Add("names", int64(p.NameCount))
	describeImports(root, p)
	describeExports(root, p)
	for _, s := range p.SoftPackages {
		root.Add("soft_package", s.Name)
	}
	for _, s := range p.SoftObjects {
		root.Add("soft_object", s.Path())
	}
}

func packageVersion(p *unreal.PackageFacts) string {
	switch {
	case p.Unversioned:
		return "unversioned"
	case p.Version5 != 0:
		return fmt.Sprintf("%d, UE5 %d", p.Version, p.Version5)
	}
	return fmt.Sprintf("%d/%d", p.Version, p.Licensee)
}

func describeImports(root *Node, p *unreal.PackageFacts) {
	list := root.Add("imports", nil)
	list.Note = fmt.Sprint(p.ImportCount)
	for i := range p.Imports {
		path, _ := p.PathOf(unreal.ObjectRef(-i - 1))
		list.Add(p.NameOf(p.Imports[i].Class), path)
	}
}

func describeExports(root *Node, p *unreal.PackageFacts) {
	list := root.Add("exports", nil)
	list.Note = fmt.Sprint(p.ExportCount)
	for i := range p.Exports {
		x := &p.Exports[i]
		path, _ := p.PathOf(unreal.ObjectRef(i + 1))
		export := list.Add(p.ClassOf(i), path)
		export.Note = fmt.Sprintf("%d bytes", x.Size)
		export.addText("super", p.ObjectOf(x.Super))
		export.addText("archetype", p.ObjectOf(x.Archetype))
	}
}

func describeContainer(root *Node, c *unreal.ContainerFacts) {
	root.Add("container", hexText(c.ContainerID))
	root.Add("version", int64(c.Version))
	packages := root.Add("packages", nil)
	packages.Note = fmt.Sprint(len(c.Packages))
	for _, p := range c.Packages {
		stored := packages.Add("package", hexText(p.ID))
		for _, id := range p.Imports {
			stored.Add("import", hexText(id))
		}
		for _, id := range p.Soft {
			stored.Add("soft import", hexText(id))
		}
	}
	root.addCount("optional", len(c.Optional))
	for _, l := range c.Localized {
		root.Add("localized", hexText(l.Source)).Note = l.Name
	}
	for _, r := range c.Redirects {
		root.Add("redirect", hexText(r.Source)+" to "+hexText(r.Target)).Note = r.Name
	}
}

func describeScripts(root *Node, s *unreal.ScriptObjectFacts) {
	root.Add("objects", int64(len(s.Objects)))
	for i := range s.Objects {
		if path, ok := s.Path(s.Objects[i].ID); ok {
			root.Add(hexText(s.Objects[i].ID), path)
		}
	}
}
