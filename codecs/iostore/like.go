package iostore

import (
	"errors"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
)

// template is what Like takes from a container and no option of CreateOptions
// says.
type template struct {
	era           era
	container     *uint64
	partitionSize uint64
	methods       []compress.Method
	ids           array // and with them the slots of the perfect hash
	seeds, left   []int32
}

func (w *writer) useTemplate() error {
	w.like.partitionSize = wholePartition
	if w.opt.Template == nil {
		return nil
	}
	t, ok := w.opt.Template.(*template)
	if !ok {
		return codecs.Errorf(errors.ErrUnsupported, "a template of %T; Like of this format makes them", w.opt.Template)
	}
	w.like, w.era = *t, t.era
	w.methods = slices.Clone(t.methods)
	return nil
}

// order returns the order of the model's table when it has the same chunks,
// or nil.
func (t *template) order(chunks []written) []int {
	if t.ids.n != len(chunks) || len(t.seeds) == 0 {
		return nil
	}
	at := make(map[chunkID]int, len(chunks))
	for i := range chunks {
		at[chunks[i].id] = i
	}
	order := make([]int, t.ids.n)
	for n := range order {
		i, ok := at[chunkID(t.ids.at(n))]
		if !ok {
			return nil
		}
		order[n] = i
		delete(at, chunkID(t.ids.at(n))) // an id that occurs twice is not served twice
	}
	return order
}

// like returns the options under which Create writes what src's own packer
// would have. When every entry is passed through by AddRaw in the order of its
// ordinal, a container of the engine's comes out byte for byte, both files.
//
// Versions that are not written, and containers that are signed, are
// errors.ErrUnsupported.
func like(src codecs.Archive) (*codecs.CreateOptions, error) {
	a, ok := src.(*archive)
	if !ok {
		return nil, codecs.Errorf(errors.ErrUnsupported, "%s is not an opened %s", src.Info().Format, formatName)
	}
	t := a.toc
	if t.version > defaultVersion {
		return nil, a.error("", at("version", offVersion, codecs.Errorf(errors.ErrUnsupported, "version %v is read, but not written", t.version)))
	}
	if t.signed() {
		return nil, a.error("", at("flags", offFlags, codecs.Errorf(errors.ErrUnsupported, "the container is signed; only its owner can sign")))
	}
	tmpl := &template{era: a.era, container: &t.container, partitionSize: t.partitionSize, methods: a.methods, ids: t.ids}
	for i := range t.seeds.n {
		tmpl.seeds = append(tmpl.seeds, t.seeds.i32(i))
	}
	for i := range t.left.n {
		tmpl.left = append(tmpl.left, t.left.i32(i))
	}
	o := &codecs.CreateOptions{
		Version:    t.version.String(),
		MountPoint: a.dir.mount,
		BlockSize:  int(t.blockSize),
		Keys:       a.keys,
		Encrypt:    t.encrypted(),
		KeyID:      t.keyID,
		Template:   tmpl,
	}
	if len(a.methods) > 0 {
		o.Method = a.methods[0]
	}
	return o, nil
}

// Overlay returns the options for a container that is to be mounted over base,
// as a patch is: version, block size, methods, mount point, numbering of types,
// partitions and encryption are those of base, and the container's id follows
// from name, that of its .utoc.
//
// A patch holds the chunks that changed, by [codecs.Writer]'s AddRaw where they
// are compressed already in blocks of base's size, and a ContainerHeader (see
// [HeaderEntry]) that lists the packages among them: an engine loads no package
// that no mounted container lists. Which perfect hash it gets, and where chunks
// lie, is the Writer's business. The engine mounts a container by the .pak of
// the same name, which must exist, if with nothing in it.
//
// Errors are those of Format.Like.
func Overlay(base codecs.Archive, name string) (*codecs.CreateOptions, error) {
	o, err := like(base)
	if err != nil {
		return nil, err
	}
	model := o.Template.(*template)
	id := ContainerID(name)
	o.Template = &template{era: model.era, container: &id, partitionSize: model.partitionSize, methods: model.methods}
	return o, nil
}

// ContainerID returns the id that the engine's packer gives a container, from
// the name of its .utoc, with or without folders: the hash of the file's name
// without extension (five of five containers of UE 5.8.1). The container of
// program objects, global.utoc, is the exception: it has no id of its own.
func ContainerID(name string) uint64 {
	base := path.Base(name)
	if stem, ok := unreal.CutSuffixFold(base, extTOC); ok {
		base = stem
	}
	return unreal.NameHash(base)
}

// HeaderEntry returns the entry under which [codecs.Writer]'s Add stores the
// ContainerHeader chunk of a container. The chunk's content is what
// zen.AppendContainerHeader makes of [unreal.Overriding].
func HeaderEntry(container uint64) *codecs.Entry {
	k, _ := ue5.kindOf(TypeContainerHeader) // the writer renumbers it for UE4, by the type's name
	return &codecs.Entry{Type: TypeContainerHeader, ID: newChunkID(container, 0, k).ID()}
}

// packageChunks returns a test for the chunks of a long package name;
// nil for what is no such name.
func packageChunks(name string) func(*codecs.Entry) bool {
	if !strings.HasPrefix(name, "/") {
		return nil
	}
	typeName := TypeExportBundleData
	for _, t := range packageFiles() {
		if bare, ok := unreal.CutSuffixFold(name, t.ext); ok {
			name, typeName = bare, t.typeName
			break
		}
	}
	id := unreal.NameHash(name)
	return func(e *codecs.Entry) bool {
		pkg, ok := PackageOf(e.ID)
		return ok && pkg == id && e.Type == typeName
	}
}

// packageFile is a kind of file that a package consists of, and the type of its
// chunk.
type packageFile struct{ ext, typeName string }

// packageFiles lists longer extensions before those that they end in.
func packageFiles() []packageFile {
	return []packageFile{
		{".uasset", TypeExportBundleData}, {".umap", TypeExportBundleData},
		{".m.ubulk", TypeMemoryMapped}, {".ubulk", TypeBulkData}, {".uptnl", TypeOptionalBulkData},
	}
}
