package iostore

import (
	"errors"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/compress"
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
		delete(at, chunkID(t.ids.at(n))) // an id that stands twice is not served twice
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
