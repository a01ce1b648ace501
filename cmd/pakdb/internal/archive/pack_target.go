package archive

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// target is what kind of archive is written.
type target struct {
	format  *codecs.Format
	options codecs.CreateOptions
	model   *operand.Archive // of the same format, whose habits are taken over; or nil
	like    *operand.Archive // the reference, which is closed at the end; or nil
	instead substitute
}

func (t *target) close() {
	if t.like != nil {
		_ = t.like.Close()
	}
}

// imitate takes over what the model keeps beside its entries, where the format
// has anything of the kind.
func (t *target) imitate(w codecs.Writer) error {
	if t.model == nil {
		return nil
	}
	if i, ok := codecs.WriterAs[codecs.Imitator](w); ok {
		return i.Imitate(t.model.Archive)
	}
	return nil
}

// packTarget decides from the flags, the reference, the archive that is read
// (nil: a folder) and the name of what is written, in this order.
func packTarget(ctx context.Context, a *cli.App, opts packOptions, source *operand.Archive) (_ *target, err error) {
	t := &target{}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	model := source
	if opts.like != "" {
		if t.like, err = operand.Open(ctx, a, opts.like); err != nil {
			return nil, err
		}
		model = t.like
	}
	if t.format, err = packFormat(a, opts, model); err != nil {
		return nil, err
	}
	if t.like != nil && t.like.Format.Name != t.format.Name {
		return nil, fmt.Errorf("%w: --like %s is of format %s, and the output of format %s", cli.ErrUsage, opts.like, t.like.Format.Name, t.format.Name)
	}
	if model != nil && model.Format.Name == t.format.Name {
		err = t.follow(model, opts.version, a.Keys.Ring.Key)
	} else {
		t.options.Version = opts.version
	}
	if err != nil {
		return nil, err
	}
	if v := t.options.Version; v != "" && !slices.Contains(t.format.Versions, v) {
		return nil, cli.WithHint(fmt.Errorf("%w: %s has no version %q", cli.ErrUsage, t.format.Name, v),
			"pakdb writes "+strings.Join(t.format.Versions, ", "))
	}
	if err := opts.create.apply(t.format, &t.options); err != nil {
		return nil, err
	}
	t.substituteMethod(model)
	if t.options.Encrypt || t.options.EncryptIndex {
		t.options.Keys = a.Keys.Ring.Key // formats that never encrypt want none
	}
	return t, nil
}

// follow makes t like an archive of its format. What only another version keeps
// is not taken over.
func (t *target) follow(model *operand.Archive, wanted string, keys codecs.KeyFunc) error {
	o, err := t.format.OptionsLike(model.Archive)
	if errors.Is(err, errors.ErrUnsupported) { // its version is not written
		if wanted == "" {
			return cli.WithHint(err, "choose another by --type @VERSION: pakdb writes "+strings.Join(t.format.Versions, ", "))
		}
		o, err = &codecs.CreateOptions{MountPoint: model.Info().MountPoint, Keys: keys}, nil
	}
	if err != nil {
		return err
	}
	t.options = *o
	if wanted == "" || wanted == t.options.Version {
		t.model = model
	} else {
		t.options.Version, t.options.Template, t.options.Seed = wanted, nil, 0
	}
	return nil
}

func packFormat(a *cli.App, opts packOptions, model *operand.Archive) (*codecs.Format, error) {
	r := a.Registry()
	var format *codecs.Format
	var candidates []*codecs.Format
	switch {
	case opts.kind != "":
		var ok bool
		if format, ok = r.Format(opts.kind); !ok {
			return nil, cli.NoSuchFormat(opts.kind, writableFormats(r))
		}
	case model != nil:
		format = model.Format
	default:
		candidates = candidateFormats(r, opts.out, opts.version)
		if len(candidates) == 1 {
			format = candidates[0]
		}
	}
	writes := "pakdb writes " + strings.Join(writableFormats(r), ", ")
	switch {
	case len(candidates) > 1:
		return nil, cli.WithHint(ambiguousFormat(opts, candidates), "pass --type or --like")
	case format == nil:
		return nil, cli.WithHint(fmt.Errorf("%w: the name %s has no known extension", cli.ErrUsage, opts.out), "pass --type or --like; "+writes)
	case format.Create == nil:
		return nil, cli.WithHint(&codecs.FormatError{Format: format.Name, Off: -1, Err: codecs.ErrReadOnly}, writes)
	}
	return format, nil
}

// candidateFormats returns the writable formats that out can be of: those that
// usually have its extension, and if that is not exactly one, those of them, or
// of all, that have the version, where one is given.
func candidateFormats(r *codecs.Registry, out, version string) []*codecs.Format {
	var byName, byVersion []*codecs.Format
	for _, f := range r.Formats {
		if f.Create != nil && slices.Contains(f.Exts, strings.ToLower(filepath.Ext(out))) {
			byName = append(byName, f)
		}
	}
	if len(byName) == 1 || version == "" {
		return byName
	}
	for _, f := range r.Formats {
		if f.Create != nil && slices.Contains(f.Versions, version) && (byName == nil || slices.Contains(byName, f)) {
			byVersion = append(byVersion, f)
		}
	}
	if byVersion == nil {
		return byName
	}
	return byVersion
}

func ambiguousFormat(opts packOptions, candidates []*codecs.Format) error {
	var names []string
	for _, c := range candidates {
		names = append(names, c.Name)
	}
	err := fmt.Errorf("%w: %s may be %s", cli.ErrUsage, opts.out, strings.Join(names, " or "))
	if opts.version != "" && !slices.Contains(candidates[0].Versions, opts.version) {
		err = fmt.Errorf("%w; none of them has version %q", err, opts.version)
	}
	return err
}

func writableFormats(r *codecs.Registry) []string {
	var names []string
	for _, f := range r.Formats {
		if f.Create != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// substitute takes the place of a method that pakdb reads and does not write,
// such as Oodle: a method that entries of the model have and that is written, for
// a game may know no others, or none.
type substitute struct {
	of, by compress.Method // of is "" while nothing had to be substituted
}

// substituteMethod keeps the method of new entries to what pakdb writes.
func (t *target) substituteMethod(model *operand.Archive) {
	if compress.CanEncode(t.options.Method) {
		return
	}
	t.instead = substitute{of: t.options.Method, by: "none"}
	for _, m := range t.format.Methods {
		if m != compress.None && holdsMethod(model, m) {
			t.instead.by = m
			break
		}
	}
	t.options.Method = t.instead.by
}

func holdsMethod(ar *operand.Archive, m compress.Method) bool {
	return ar != nil && slices.ContainsFunc(slices.Collect(cli.Named(ar.Archive)), func(e *codecs.Entry) bool { return e.Method == m })
}

// method is what an entry of method m is encoded by, when it has to be.
func (s substitute) method(m compress.Method) compress.Method {
	if s.of != "" && !compress.CanEncode(m) {
		return s.by
	}
	return m
}

// noteSubstitute reports that new contents are not compressed as the others are.
func noteSubstitute(a *cli.App, s substitute) error {
	if s.of == "" || a.Quiet {
		return nil
	}
	how := "stored uncompressed"
	if s.by != "none" {
		how = "compressed by " + s.by.String() + ", which the archive has as well"
	}
	_, err := fmt.Fprintf(a.Stderr, "note: %s is read, but not written: new contents are %s; copied data stays as it is\n", s.of, how)
	return err
}
