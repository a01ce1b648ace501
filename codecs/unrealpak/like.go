package unrealpak

import (
	"errors"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
)

// template is what Like takes from a pak and no option of CreateOptions says.
type template struct {
	slots []string // method names, in their order and spelling
	form  blockForm
	keep  map[string]bool // extensions of the files in the pruned directory
}

// useTemplate takes over the template, or a fresh one's habits: those of the
// packer that made this version.
func useTemplate(w *writer) error {
	if w.opt.Template == nil {
		if w.version >= utf8PakDirectory {
			w.like.form = formZero
		}
		return nil
	}
	t, ok := w.opt.Template.(*template)
	if !ok {
		return codecs.Errorf(errors.ErrUnsupported, "a template of %T; Like of this format makes them", w.opt.Template)
	}
	w.like = *t
	copy(w.slots, t.slots)
	return nil
}

// like returns the options under which Create writes what src's own packer
// would have: version, mount point, methods, block size, key, encryption,
// path hash seed, and the packer's habits. When every entry is passed through
// by AddRaw in the order of its ordinal, a pak of UnrealPak's comes out byte
// for byte.
//
// Versions that are not written are errors.ErrUnsupported.
func like(src codecs.Archive) (*codecs.CreateOptions, error) {
	a, ok := src.(*archive)
	if !ok {
		return nil, codecs.Errorf(errors.ErrUnsupported, "%s is not an opened %s", src.Info().Format, formatName)
	}
	f := a.footer
	if !slices.Contains(writable(), f.version.String()) {
		return nil, a.error("", at("version", f.at+4, codecs.Errorf(errors.ErrUnsupported, "version %v is read, but not written", f.version)))
	}
	o := &codecs.CreateOptions{
		Version:      f.version.String(),
		MountPoint:   a.mount,
		Method:       usualMethod(a),
		BlockSize:    usualBlockSize(a),
		Keys:         a.keys,
		Encrypt:      a.facts.encrypted > 0 && 2*a.facts.encrypted >= a.table.len()-a.facts.deleted,
		EncryptIndex: f.encrypted,
		KeyID:        f.keyID,
		Template:     &template{slots: f.slots, form: a.facts.form, keep: prunedExts(a)},
	}
	if a.hashed != nil {
		o.Seed = a.hashed.primary.seed
	}
	return o, nil
}

// usualBlockSize is that of the first entry with several blocks, or 0 when no
// writer should take it over.
func usualBlockSize(a *archive) int {
	if n := a.facts.blockSize; n >= minBlockSize && n <= maxBlockSize {
		return int(n)
	}
	return 0
}

// usualMethod is the method of most compressed entries.
func usualMethod(a *archive) compress.Method {
	best := compress.None
	for m, n := range a.facts.methods {
		if m == compress.None {
			continue
		}
		if k := a.facts.methods[best]; best == compress.None || n > k || (n == k && m < best) {
			best = m
		}
	}
	return best
}

// prunedExts are the extensions of the files that the pruned directory lists.
func prunedExts(a *archive) map[string]bool {
	if a.hashed == nil || a.hashed.primary.pathHash == nil {
		return nil
	}
	p, err := prunedDirectory(a)
	if err != nil {
		return nil
	}
	exts := map[string]bool{}
	for i := range p.items {
		exts[strings.ToLower(path.Ext(p.name(i)))] = true
	}
	return exts
}

// prunedDirectory reads the directory after the path hashes.
func prunedDirectory(a *archive) (*hashIndex, error) {
	p := a.hashed.primary
	pruned := &hashIndex{version: a.footer.version, primary: p}
	buf, _, err := indexReader{a}.region("path hash index", *p.pathHash, p.regionAt[0]+4, a.footer.ivs[1])
	if err != nil || isFlat(buf) {
		return pruned, err
	}
	_, r, err := parsePathHashes(buf, p.pathHash.off)
	if err != nil || r.Len() < 4 {
		return pruned, err
	}
	return pruned, pruned.parseDirectory(r, spool.RegionHeld(buf), 0)
}
