package unreal

import "pakdb/internal/family"

// RegistryFacts is the Detail of facts of kind "unreal-asset-registry": what an
// AssetRegistry.bin says of a game's assets. Texts are by position in Texts.
type RegistryFacts struct {
	Version      int
	Filtered     bool // without data of the editor
	Nodes        int  // that have dependencies
	Texts        []string
	Assets       []RegistryAsset
	Tags         []RegistryTag
	Dependencies []RegistryDependency
	Packages     []RegistryPackage
}

// RegistryAsset is an asset of a package.
type RegistryAsset struct {
	Package, Class, Object int32
	Chunks                 string // numbers: "0,3"
	Flags                  int64  // of the package
	Bundles                int64  // how many assets its bundles name
}

// RegistryTag is a tag of an asset.
type RegistryTag struct {
	Asset       int64 // position
	Name, Value int32
}

// DependencyKind says whether a node needs a package or something else.
type DependencyKind uint8

// The kinds of dependencies.
const (
	DependsOnPackage DependencyKind = iota
	DependsOnName                   // a name that can be searched for, such as a gameplay tag
	Manages                         // a primary asset decides where another one is cooked to
)

// RegistryDependency says that a node needs another. Nodes are packages, or primary
// assets as Type:Name.
type RegistryDependency struct {
	From, To int32
	Kind     DependencyKind
	Flags    uint8 // as stored: of packages 1 hard, 2 used in the game
}

// RegistryPackage is what the registry says of a package's file.
type RegistryPackage struct {
	Package               int32
	DiskSize              int64
	SavedHash, CookedHash []byte // CookedHash is nil where none is stored
	Flags                 int64
	Ext                   string
}

// registryRow sums up a registry.
type registryRow struct{ version, filtered, assets, tags, nodes, dependencies, packages int64 }

var (
	registries = family.NewTable("asset_registry", "",
		family.ValueColumn("version", func(r *registryRow) any { return r.version }),
		family.ValueColumn("filtered", func(r *registryRow) any { return r.filtered }),
		family.ValueColumn("assets", func(r *registryRow) any { return r.assets }),
		family.ValueColumn("tags", func(r *registryRow) any { return r.tags }),
		family.ValueColumn("nodes", func(r *registryRow) any { return r.nodes }),
		family.ValueColumn("dependencies", func(r *registryRow) any { return r.dependencies }),
		family.ValueColumn("packages", func(r *registryRow) any { return r.packages })).Single()
	registryAssets = family.NewTable("registry_asset", "seq",
		family.TextColumn("package_id", func(a *RegistryAsset) int32 { return a.Package }),
		family.TextColumn("class_id", func(a *RegistryAsset) int32 { return a.Class }),
		family.TextColumn("object_id", func(a *RegistryAsset) int32 { return a.Object }),
		family.ValueColumn("chunks", func(a *RegistryAsset) any { return textOrNull(a.Chunks) }),
		family.ValueColumn("flags", func(a *RegistryAsset) any { return a.Flags }),
		family.ValueColumn("bundled", func(a *RegistryAsset) any { return a.Bundles }))
	registryTags = family.NewTable("registry_tag", "seq",
		family.ValueColumn("asset", func(t *RegistryTag) any { return t.Asset }),
		family.TextColumn("tag_id", func(t *RegistryTag) int32 { return t.Name }),
		family.TextColumn("value_id", func(t *RegistryTag) int32 { return t.Value }))
	registryDependencies = family.NewTable("registry_dependency", "seq",
		family.TextColumn("from_id", func(d *keyedDependency) int32 { return d.From }),
		family.TextColumn("to_id", func(d *keyedDependency) int32 { return d.To }),
		family.ValueColumn("from_key", func(d *keyedDependency) any { return d.from }),
		family.ValueColumn("to_key", func(d *keyedDependency) any { return d.to }),
		family.ValueColumn("kind", func(d *keyedDependency) any { return int64(d.Kind) }),
		family.ValueColumn("flags", func(d *keyedDependency) any { return int64(d.Flags) }))
	registryPackages = family.NewTable("registry_package", "seq",
		family.TextColumn("package_id", func(p *keyedPackage) int32 { return p.Package }),
		family.ValueColumn("key", func(p *keyedPackage) any { return p.key }),
		family.ValueColumn("disk_size", func(p *keyedPackage) any { return p.DiskSize }),
		family.ValueColumn("saved_hash", func(p *keyedPackage) any { return bytesOrNull(p.SavedHash) }),
		family.ValueColumn("cooked_hash", func(p *keyedPackage) any { return bytesOrNull(p.CookedHash) }),
		family.ValueColumn("flags", func(p *keyedPackage) any { return p.Flags }),
		family.ValueColumn("ext", func(p *keyedPackage) any { return textOrNull(p.Ext) }))
)

// keyedDependency has the keys by which the catalog finds packages.
type keyedDependency struct {
	*RegistryDependency
	from, to int64
}

type keyedPackage struct {
	*RegistryPackage
	key int64
}

// Batch lists all that the registry says.
func (f *RegistryFacts) Batch() *family.Batch {
	sum := registryRow{int64(f.Version), 0, int64(len(f.Assets)), int64(len(f.Tags)), int64(f.Nodes), int64(len(f.Dependencies)), int64(len(f.Packages))}
	if f.Filtered {
		sum.filtered = 1
	}
	keys := map[int32]int64{}
	key := func(text int32) int64 {
		k, ok := keys[text]
		if !ok {
			k = family.NameKey(f.Texts[text])
			keys[text] = k
		}
		return k
	}
	dependencies := make([]keyedDependency, len(f.Dependencies))
	for i := range f.Dependencies {
		d := &f.Dependencies[i]
		dependencies[i] = keyedDependency{d, key(d.From), key(d.To)}
	}
	packages := make([]keyedPackage, len(f.Packages))
	for i := range f.Packages {
		packages[i] = keyedPackage{&f.Packages[i], key(f.Packages[i].Package)}
	}
	return &family.Batch{Words: []string{"package"}, Texts: f.Texts, Rows: []family.Rows{registries.Rows(sum), registryAssets.Rows(f.Assets...),
		registryTags.Rows(f.Tags...), registryDependencies.Rows(dependencies...), registryPackages.Rows(packages...)}}
}
