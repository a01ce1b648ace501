package unrealpak

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
)

// facts are what opening learns about the entries as a whole.
type facts struct {
	encrypted int // entries
	deleted   int
	methods   map[compress.Method]int
	blockSize int64 // of the first entry with several blocks
	form      blockForm
}

// collect walks the records once. What is wrong with one is told by Entries.
func collect(a *archive) {
	var rec record
	a.facts.methods = map[compress.Method]int{}
	for i := range a.table.len() {
		if a.load(i, &rec) != nil {
			continue
		}
		a.facts.add(&rec, a.footer)
	}
	a.facts.form = blockFormOf(a)
	if a.footer.extra > 0 {
		a.warn(at("footer", a.footer.at, codecs.Errorf(codecs.ErrNonStrict, "%d bytes follow it (game fork?)", a.footer.extra)))
	}
}

func (s *facts) add(rec *record, f *footer) {
	if rec.deleted() {
		s.deleted++
		return
	}
	if rec.encrypted() {
		s.encrypted++
	}
	if m, err := f.methodOf(rec.method); err == nil {
		s.methods[m]++
	}
	if s.blockSize == 0 && len(rec.blocks) > 1 {
		s.blockSize = int64(rec.blockSize)
	}
}

// siblingsOf are the files that belong to a pak and lie beside it.
func siblingsOf(a *archive) []codecs.Detail {
	var d []codecs.Detail
	if a.src.Dir == nil {
		return nil
	}
	base, _ := unreal.CutSuffixFold(a.src.Name, ".pak")
	for _, s := range []struct{ ext, meaning string }{
		{".sig", "the pak is signed; a change to it voids the signature"},
		{".utoc", "IoStore container: most of the content is there"},
		{".ucas", "content of the .utoc"},
	} {
		if _, err := fs.Stat(a.src.Dir, base+s.ext); err == nil {
			d = append(d, codecs.Detail{Name: "beside it", Value: base + s.ext + ": " + s.meaning})
		}
	}
	return d
}

func detailsOf(a *archive) []codecs.Detail {
	f := a.footer
	tr := f.version.traits()
	d := []codecs.Detail{
		{Name: "version name", Value: tr.name},
		{Name: "engine", Value: tr.engine},
		{Name: "index", Value: fmt.Sprintf("%d bytes at 0x%x, %s", f.index.size, f.index.off, plainOr(f.encrypted, "encrypted"))},
	}
	add := func(name, value string) { d = append(d, codecs.Detail{Name: name, Value: value}) }
	if f.version >= encryptionKeyGUID && (!f.keyID.IsZero() || f.encrypted || a.facts.encrypted > 0) {
		add("key", keyName(f.keyID))
	}
	if f.method == methodCTR {
		add("encryption", "AES-256-CTR")
	}
	if names := strings.Join(used(f.slots), " "); names != "" {
		add("methods", names)
	}
	if a.hashed != nil {
		add("path hash seed", "0x"+strconv.FormatUint(a.hashed.primary.seed, 16))
		add("index regions", regions(a.hashed.primary))
	}
	if n, ok := chunkOf(a); ok {
		add("chunk", strconv.Itoa(n))
	}
	if a.facts.encrypted > 0 {
		add("encrypted entries", strconv.Itoa(a.facts.encrypted))
	}
	if a.facts.deleted > 0 {
		add("delete records", strconv.Itoa(a.facts.deleted))
	}
	if a.facts.encrypted > 0 && !f.encrypted {
		add("key check", "no hash covers decrypted content: a wrong key shows by padding, magics and damage only")
	}
	return append(d, siblingsOf(a)...)
}

func plainOr(set bool, word string) string {
	if set {
		return word
	}
	return "plain"
}

func used(slots []string) []string {
	var s []string
	for _, name := range slots {
		if name != "" {
			s = append(s, name)
		}
	}
	return s
}

func regions(p *primary) string {
	switch {
	case p.pathHash != nil && p.fullDir != nil:
		return "path hashes, directory"
	case p.pathHash != nil:
		return "path hashes only: names are unknown"
	}
	return "directory only"
}

// chunkOf is the number of the chunk that the pak holds.
func chunkOf(a *archive) (int, bool) {
	if a.footer.chunk >= 0 {
		return int(a.footer.chunk), true
	}
	return Chunk(a.src.Name)
}

// blockFormOf tells by which habit the packer wrote single-block entries.
func blockFormOf(a *archive) blockForm {
	if a.hashed == nil {
		return formExact
	}
	for _, it := range a.hashed.items {
		if it.location < 0 || int(it.location)+4 > len(a.hashed.primary.encoded) {
			continue
		}
		bits := leOrder.Uint32(a.hashed.primary.encoded[it.location:])
		if bits>>shiftMethod&maskMethod == 0 || bits>>shiftBlocks&maskBlocks != 1 {
			continue
		}
		switch bits & bitsBlockSize {
		case 0:
			return formZero
		case 0x3e:
			return formRepak
		}
		return formExact
	}
	if a.footer.version >= utf8PakDirectory {
		return formZero
	}
	return formExact
}
