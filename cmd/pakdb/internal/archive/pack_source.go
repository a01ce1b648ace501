package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/regular"
)

// packFolder writes the files below dir.
func packFolder(ctx context.Context, a *cli.App, t *target, opts packOptions, dir string) error {
	files, err := filesBelow(ctx, dir, opts.out, regular.Shipping(opts.outside))
	if err != nil {
		return err
	}
	if files, err = arrange(files, opts.order, t.options.MountPoint); err != nil {
		return err
	}
	legacy, err := packsLegacy(t, files)
	if err != nil {
		return err
	}
	if legacy {
		s, err := packLegacy(ctx, t, opts.out, files)
		if err == nil {
			err = writeStub(ctx, opts.out, t.options.MountPoint, opts.overwrite)
		}
		if err != nil {
			return err
		}
		return printPacked(a, t.format, opts.out, s)
	}
	s, err := writeFiles(ctx, t, opts.out, files, func(f regular.File) string { return f.Name }, addFile)
	if err != nil {
		return err
	}
	return printPacked(a, t.format, opts.out, s)
}

// repack writes the entries of another archive. Stored bytes are taken over
// until the writer refuses a method; then it starts again, and entries of that
// method are decoded. Only the writer knows what it can hold.
func repack(ctx context.Context, a *cli.App, t *target, ar *operand.Archive, replace replacements, c createOptions, out string) error {
	epoch, err := cli.SourceDateEpoch()
	if err != nil {
		return err
	}
	r := &repacker{ar: ar, replace: replace, epoch: epoch, decode: map[compress.Method]bool{},
		anew: c.reencodes(), method: c.newMethod(), instead: t.instead, locks: ar.Format.Name == t.format.Name && !c.encryptsEntries()}
	for {
		r.refused, r.sums = nil, cli.Sums{}
		err := codecs.WriteFile(ctx, out, t.format, &t.options, func(w codecs.Writer) error {
			if err := t.imitate(w); err != nil {
				return err
			}
			return r.fill(ctx, w)
		})
		if err == nil && (len(replace) > 0 || r.anew || len(r.decode) > 0) {
			err = noteSubstitute(a, t.instead)
		}
		if err == nil {
			return printPacked(a, t.format, out, r.sums)
		}
		if r.refused == nil {
			return err
		}
		r.decode[*r.refused] = true
	}
}

type repacker struct {
	ar      *operand.Archive
	replace replacements
	epoch   time.Time                // of what is replaced; zero: the file's own
	decode  map[compress.Method]bool // entries that the writer does not take as they are stored
	refused *compress.Method         // found by the last run
	anew    bool                     // decode all
	method  compress.Method          // of entries that are encoded anew; "" is their own
	instead substitute               // of methods that cannot be encoded
	locks   bool                     // what was encrypted shall be
	sums    cli.Sums
}

func (r *repacker) fill(ctx context.Context, w codecs.Writer) error {
	for e, err := range r.ar.Entries() {
		if err != nil {
			return err
		}
		if _, ok := r.replace[e.Ordinal]; ok {
			e.Size, err = r.replace.write(ctx, w, e, r.epoch)
		} else {
			err = r.add(ctx, w, e)
		}
		if err != nil {
			return err
		}
		r.sums.Add(e)
	}
	return r.names(w)
}

// names takes over the named resources, where both formats have them.
func (r *repacker) names(w codecs.Writer) error {
	namer, ok := r.ar.Archive.(codecs.Namer)
	if !ok {
		return nil
	}
	writer, ok := codecs.WriterAs[codecs.NameWriter](w)
	if !ok {
		return nil
	}
	for n, err := range namer.Named() {
		if err == nil {
			err = writer.AddName(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *repacker) add(ctx context.Context, w codecs.Writer, e *codecs.Entry) error {
	if e.Flags&codecs.Deleted != 0 {
		return w.Add(ctx, e, strings.NewReader(""))
	}
	if !r.anew && !r.decode[e.Method] && e.Flags&codecs.Sealed == 0 {
		raw, err := r.ar.OpenRaw(e)
		if err != nil {
			return err
		}
		err = w.AddRaw(ctx, e, codecs.ContextReader(ctx, raw))
		if errors.Is(err, errors.ErrUnsupported) {
			r.refused = &e.Method
		}
		return err
	}
	content, err := r.ar.Open(ctx, e)
	if err != nil {
		return err
	}
	plain := *e
	plain.Flags &^= codecs.Sealed
	if !r.locks {
		plain.Flags &^= codecs.Encrypted
	}
	if plain.Method = r.instead.method(plain.Method); r.method != "" {
		plain.Method = r.method
	}
	return errors.Join(w.Add(ctx, &plain, codecs.ContextReader(ctx, content)), content.Close())
}

// arrange puts files in the order of an order file, which knows them by where they are
// mounted.
func arrange(files []regular.File, orderFile, mount string) ([]regular.File, error) {
	order, err := readOrder(orderFile)
	if err != nil || len(order) == 0 {
		return files, err
	}
	if mount == "" {
		mount = unrealpak.DefaultMount
	}
	lines, byName := make([]unrealpak.ResponseLine, len(files)), map[string]regular.File{}
	for i, f := range files {
		lines[i], byName[f.Name] = unrealpak.ResponseLine{Source: f.Name, Dest: strings.TrimSuffix(mount, "/") + "/" + f.Name}, f
	}
	unrealpak.Arrange(lines, order)
	arranged := make([]regular.File, len(files))
	for i, l := range lines {
		arranged[i] = byName[l.Source]
	}
	return arranged, nil
}

func readOrder(name string) ([]unrealpak.OrderLine, error) {
	if name == "" {
		return nil, nil
	}
	return parseFile(name, unrealpak.ParseOrder)
}

func parseFile[T any](name string, parse func(io.Reader) ([]T, error)) ([]T, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, cli.WithHint(err, operand.NearestFile(name))
	}
	defer func() { _ = file.Close() }()
	lines, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return lines, nil
}
