package textfile

import (
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// oldAssets reads the assets of version 0, which has nothing else.
func (d *registryDecoder) oldAssets() bool {
	for range d.r.Count(32) {
		d.fstring() // path of the object
		d.fstring() // path of the package
		a := unreal.RegistryAsset{Class: d.fstring()}
		d.fstring() // group
		a.Package, a.Object = d.fstring(), d.fstring()
		for range d.r.Count(8) {
			d.facts.Tags = append(d.facts.Tags, unreal.RegistryTag{Asset: int64(len(d.facts.Assets)), Name: d.fstring(), Value: d.fstring()})
		}
		a.Chunks = d.chunks()
		if d.failed("assets") {
			return false
		}
		d.facts.Assets = append(d.facts.Assets, a)
	}
	return !d.failed("assets")
}

// chunks reads the numbers of the chunks that have an asset: "0,3".
func (d *registryDecoder) chunks() string {
	n := d.r.Count(4)
	all := make([]string, 0, n)
	for range n {
		all = append(all, strconv.Itoa(int(d.r.I32())))
	}
	return strings.Join(all, ",")
}

func (d *registryDecoder) assets() bool {
	for range d.r.Count(24) {
		var a unreal.RegistryAsset
		if d.version < withoutPaths {
			d.name() // path of the object
		}
		d.name() // folder
		a.Class = d.class()
		if d.version < 4 {
			d.name() // group
		}
		a.Package, a.Object = d.name(), d.name()
		if d.version >= withoutPaths && !d.filtered {
			d.name() // outer
		}
		d.tags()
		if d.version >= withStore {
			a.Bundles = d.bundles()
		}
		a.Chunks = d.chunks()
		a.Flags = int64(d.r.U32())
		if d.failed("assets") {
			return false
		}
		d.facts.Assets = append(d.facts.Assets, a)
	}
	return !d.failed("assets")
}

// tags reads the tags of the next asset.
func (d *registryDecoder) tags() {
	asset := int64(len(d.facts.Assets))
	if d.version < withStore {
		for range d.r.Count(12) {
			d.facts.Tags = append(d.facts.Tags, unreal.RegistryTag{Asset: asset, Name: d.name(), Value: d.fstring()})
		}
		return
	}
	handle := d.r.U64()
	if d.r.Err() != nil {
		return
	}
	pairs := d.store.pairs[1]
	if handle>>63 != 0 {
		pairs = d.store.pairs[0]
	}
	first, count := int64(handle&(1<<32-1)), int64(handle>>32&0xffff)
	if first+count > int64(len(pairs)) {
		d.add("tags", codecs.Errorf(codecs.ErrCorrupt, "%d from %d of %d", count, first, len(pairs)))
		return
	}
	if int64(len(d.facts.Tags))+count > maxTags {
		d.add("tags", codecs.Errorf(codecs.ErrLimit, "more than %d", maxTags))
		return
	}
	for _, p := range pairs[first : first+count] {
		d.facts.Tags = append(d.facts.Tags, unreal.RegistryTag{Asset: asset, Name: d.nameAt(p.name), Value: d.store.value(d, p.value)})
	}
}

// bundles passes over the bundles of an asset, and returns how many assets are in them.
func (d *registryDecoder) bundles() (n int64) {
	for range d.r.Count(8) {
		d.name()
		for range d.r.Count(8) {
			d.name()
			if d.version >= withClassPaths {
				d.name()
			}
			d.utf8()
			n++
		}
	}
	return n
}

// identifier reads the name of a node: a package, or Type:Name.
func (d *registryDecoder) identifier() int32 {
	bits := d.r.U8()
	var parts [4]string
	for i := range parts {
		if bits>>i&1 != 0 {
			parts[i] = d.facts.Texts[d.name()]
		}
	}
	pkg, kind, object, value := parts[0], parts[1], parts[2], parts[3]
	text := pkg
	if kind != "" {
		text = kind + ":"
		if pkg != "" {
			text += pkg + "."
		}
	} else if object != "" {
		text += "."
	}
	text += object
	if value != "" {
		text += "::" + value
	}
	return d.text(text)
}

// edge is a dependency by the numbers of its nodes.
type edge struct {
	from, to int32
	kind     unreal.DependencyKind
	flags    uint8
}

func (d *registryDecoder) dependencies() bool {
	end := int64(-1)
	if d.version >= withLength {
		length := d.r.I64()
		end = d.r.Off() + length
		if d.r.Err() == nil && (length < 0 || length > int64(d.r.Len())) {
			d.add("length of dependencies", codecs.Errorf(codecs.ErrCorrupt, "%d, %d bytes remain", length, d.r.Len()))
			return false
		}
	}
	start := *d.r
	managerBits := 1
	if d.version >= withStore {
		managerBits = d.managerBits(end)
	}
	n := d.r.Count(9)
	nodes := make([]int32, 0, n)
	var edges []edge
	for i := range n {
		id := d.identifier()
		if d.r.Err() != nil {
			break
		}
		nodes = append(nodes, id)
		if d.version >= withStore {
			edges = d.node(edges, int32(i), managerBits)
		} else {
			edges = d.oldNode(edges, int32(i))
		}
		if d.r.Err() != nil {
			break
		}
	}
	damaged := d.failed("dependencies")
	d.facts.Nodes = len(nodes)
	for _, e := range edges {
		if e.to < 0 || int(e.to) >= len(nodes) {
			if damaged {
				continue // it may be a node after the damage
			}
			d.add("dependency", codecs.Errorf(codecs.ErrCorrupt, "node %d of %d", e.to, len(nodes)))
			continue
		}
		d.facts.Dependencies = append(d.facts.Dependencies,
			unreal.RegistryDependency{From: nodes[e.from], To: nodes[e.to], Kind: e.kind, Flags: e.flags})
	}
	if off := d.r.Off(); end >= 0 && (damaged || off != end) {
		if !damaged {
			d.add("dependencies", codecs.Errorf(codecs.ErrNonStrict, "end here, and not at 0x%x", end))
		}
		*d.r = start // without its error: the length says where packages begin
		d.r.Seek(int(end))
	}
	return d.r.Err() == nil
}

// managerBits returns how many bits a node has for each package that it manages: three
// from UE 5.7 on, whose version is not known, so in any case from 5.8 on; one before. Where
// the lists do not end at end with so many, and do with the other, it is the other.
func (d *registryDecoder) managerBits(end int64) int {
	likely, other := 1, 3
	if d.version >= withAlignment { // UE 5.8
		likely, other = 3, 1
	}
	if !d.nodesEnd(likely, end) && d.nodesEnd(other, end) {
		return other
	}
	return likely
}

// nodesEnd reports whether the nodes end at end if managed packages have so many bits.
func (d *registryDecoder) nodesEnd(managerBits int, end int64) bool {
	r := *d.r
	for range r.Count(9) {
		for bits := r.U8() & 15; bits != 0; bits &= bits - 1 {
			d.rawName(&r)
		}
		for _, width := range []int{5, 0, managerBits, 0} {
			n := r.Count(4)
			r.Skip(4 * (n + (n*width+31)/32))
		}
		if r.Err() != nil {
			return false
		}
	}
	return r.Off() == end
}

// node reads the lists of a node: packages with five bits each, names, managers,
// referencers.
func (d *registryDecoder) node(edges []edge, from int32, managerBits int) []edge {
	add := func(kind unreal.DependencyKind, width int) {
		first := len(edges)
		for range d.r.Count(4) {
			edges = append(edges, edge{from: from, to: d.r.I32(), kind: kind})
		}
		count := len(edges) - first
		words := make([]uint32, (count*width+31)/32)
		for i := range words {
			words[i] = d.r.U32()
		}
		for i := range count {
			var v uint8
			for bit := range width {
				at := i*width + bit
				v |= uint8(words[at/32]>>(at%32)&1) << bit
			}
			edges[first+i].flags = v
		}
	}
	add(unreal.DependsOnPackage, 5)
	add(unreal.DependsOnName, 0)
	add(unreal.Manages, managerBits)
	d.r.Skip(4 * d.r.Count(4)) // referencers: the same from the other side
	return edges
}

// oldNode reads a node below version 8: six counts, then all lists.
func (d *registryDecoder) oldNode(edges []edge, from int32) []edge {
	kinds := []edge{{kind: unreal.DependsOnPackage, flags: 1}, {kind: unreal.DependsOnPackage}, {kind: unreal.DependsOnName}, {kind: unreal.Manages}}
	if d.version >= withHardManage {
		kinds = append(kinds, edge{kind: unreal.Manages, flags: 1})
	}
	counts := make([]int64, len(kinds)+1)
	for i := range counts {
		counts[i] = int64(d.r.I32())
	}
	for i, e := range kinds {
		for range d.r.CheckCount(counts[i], 4) {
			edges = append(edges, edge{from: from, to: d.r.I32(), kind: e.kind, flags: e.flags})
		}
	}
	d.r.Skip(4 * d.r.CheckCount(counts[len(kinds)], 4))
	return edges
}

func (d *registryDecoder) packages() bool {
	for range d.r.Count(16) {
		p := unreal.RegistryPackage{Package: d.name(), DiskSize: d.r.I64()}
		if d.version >= withSavedHash {
			p.SavedHash = d.r.Bytes(20)
		} else {
			p.SavedHash = d.r.Bytes(16)
		}
		if d.version >= withCookedHash && d.r.U32() != 0 {
			p.CookedHash = d.r.Bytes(16)
		}
		if d.version >= withChunkHashes {
			d.r.Skip(32 * d.r.Count(32))
		}
		if d.version >= withVersions {
			d.r.Skip(4)
			if d.version >= withVersion5 {
				d.r.Skip(4)
			}
			d.r.Skip(4) // licensee
			p.Flags = int64(d.r.U32())
			d.r.Skip(20 * d.r.Count(20))
		}
		if d.version >= withClasses {
			for range d.r.Count(4) {
				d.name()
			}
		}
		if d.version >= withExtensions {
			p.Ext = d.utf8()
		}
		if d.version >= withLocation && !d.filtered {
			d.r.Skip(1)
		}
		if d.failed("packages") {
			return false
		}
		d.facts.Packages = append(d.facts.Packages, p)
	}
	return !d.failed("packages")
}
