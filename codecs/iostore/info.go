package iostore

import (
	"fmt"
	"io/fs"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// warnTOC reports what does not keep the container from being read.
func (a *archive) warnTOC() {
	t := a.toc
	if t.partitions > maxPartitions {
		a.warn(at("partition count", offPartitions, codecs.Errorf(codecs.ErrCorrupt, "%d", t.partitions)))
	}
	if t.sourceHashes > 0 && t.trailing > 0 && t.trailing%int64(t.sourceHashes) == 0 {
		return // they must be what follows the metas
	}
	if t.trailing > 0 {
		a.warn(at("end", t.end, codecs.Errorf(codecs.ErrNonStrict, "%d bytes follow the last table", t.trailing)))
	}
}

// warnCut reports files of contents that end before the blocks that the table
// places in them: they were cut short. What is not there at all is no error, since
// the table can be listed without them. The padding of the last block may be
// missing, because other programs leave it out.
func (a *archive) warnCut() {
	if a.src.Dir == nil {
		return
	}
	for i, last := range a.toc.lastBlocks(len(a.partitions.list)) {
		name := a.partitions.name(i)
		st, err := fs.Stat(a.src.Dir, name)
		if err != nil || st.IsDir() || st.Size() >= last.end {
			continue
		}
		a.warn(at("block", a.toc.blocks.place(last.block),
			codecs.Errorf(codecs.ErrTruncated, "%s has %d bytes, and its blocks %d", name, st.Size(), last.end)))
	}
}

// Info implements codecs.Archive.
func (a *archive) Info() codecs.Info {
	t := a.toc
	return codecs.Info{
		Format:     formatName,
		Version:    t.version.String(),
		MountPoint: a.dir.mount,
		Encrypted:  t.encrypted(),
		EntryCount: t.len(),
		Details:    detailsOf(a),
		Warnings:   append([]*codecs.FormatError(nil), a.warnings...),
	}
}

func detailsOf(a *archive) []codecs.Detail {
	t := a.toc
	name, engine := t.version.traits()
	d := []codecs.Detail{
		{Name: "version name", Value: name},
		{Name: "engine", Value: engine},
		{Name: "container id", Value: fmt.Sprintf("%016x", t.container)},
		{Name: "blocks", Value: fmt.Sprintf("%d of %d bytes", t.blocks.n, t.blockSize)},
	}
	add := func(name, value string) { d = append(d, codecs.Detail{Name: name, Value: value}) }
	if len(t.methods) > 0 {
		add("methods", strings.Join(t.methods, " "))
	}
	add("flags", flagNames(t.flags))
	if t.encrypted() {
		add("key", keyName(t.keyID))
		if a.crypt.ctr {
			add("encryption", "AES-256-CTR")
		}
	}
	if t.seeds.n > 0 {
		add("perfect hash", fmt.Sprintf("%d seeds, %d chunks beside it", t.seeds.n, t.left.n))
	}
	if t.signed() {
		add("signature", "signed: a change to the container voids it")
	}
	if t.sourceHashes > 0 {
		add("source hashes", itoa(int(t.sourceHashes)))
	}
	return append(d, filesOf(a)...)
}

func flagNames(flags uint8) string {
	var s []string
	for i, name := range []string{"compressed", "encrypted", "signed", "indexed", "on-demand"} {
		if flags&(1<<i) != 0 {
			s = append(s, name)
		}
	}
	if rest := flags &^ 0x1f; rest != 0 {
		s = append(s, fmt.Sprintf("0x%x", rest))
	}
	if s == nil {
		return "none"
	}
	return strings.Join(s, " ")
}

// filesOf returns the files of the container that are beside the .utoc.
func filesOf(a *archive) []codecs.Detail {
	if a.src.Dir == nil {
		return nil
	}
	var d []codecs.Detail
	for i := range a.partitions.list {
		name := a.partitions.name(i)
		value := name + ": content"
		if st, err := fs.Stat(a.src.Dir, name); err != nil {
			value = name + " is absent: chunks are listed, but cannot be read"
		} else {
			value += fmt.Sprintf(", %d bytes", st.Size())
		}
		d = append(d, codecs.Detail{Name: "beside it", Value: value})
		if i == 15 { // enough to see
			break
		}
	}
	if base, _ := unreal.CutSuffixFold(a.src.Name, extTOC); isFile(a.src.Dir, base+".pak") {
		d = append(d, codecs.Detail{Name: "beside it", Value: base + ".pak: the files that are no chunks"})
	}
	return d
}
