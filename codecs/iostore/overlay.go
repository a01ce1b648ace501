package iostore

import (
	"path"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

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
