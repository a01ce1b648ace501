package show

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal/media"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/asset"
	"pakdb/internal/process"
	"pakdb/query"
)

// Comparer compares contents of two builds. It is not safe for concurrent use.
type Comparer struct {
	*semantic.Comparer
	// Media compares the pixels of textures and the samples of sounds, too, if contents are at
	// hand.
	Media bool
	// Changes are all changes between the builds, for textures that came: one that went may
	// look the same. nil: textures that came are not compared with any.
	Changes func(context.Context) iter.Seq2[diff.Change, error]
	// Warn gets errors of what could not be read, if not nil.
	Warn func(text string)

	// Warnings say what could not be looked at of the change that was compared last, of which
	// Pictures are.
	Warnings []string
	Pictures []*semantic.Pictures

	contents *query.Contents
	registry *codecs.Registry
	builds   map[string]*Build // by label

	removed      []semantic.Look // textures that went
	removedKnown bool
}

// NewComparer returns what compares the contents of two builds of a catalog, by their labels.
// contents may be nil.
func NewComparer(db *sql.DB, contents *query.Contents, r *codecs.Registry, old, new string) *Comparer {
	i := &Comparer{Comparer: &semantic.Comparer{DB: db, OldBuild: old, NewBuild: new}, contents: contents, registry: r, builds: map[string]*Build{}}
	i.Code = i.code
	if contents != nil {
		i.Contents = contents
	}
	return i
}

// build returns the files of a build.
func (i *Comparer) build(ctx context.Context, label string) (b *Build, err error) {
	if i.builds[label] == nil {
		if i.builds[label], err = InBuild(ctx, i.DB, label, i.contents, i.registry); err != nil {
			return nil, err
		}
	}
	return i.builds[label], nil
}

// sides calls do for each file that a change has: of the old build, which is 0, and of the new
// one, 1.
func (i *Comparer) sides(ctx context.Context, c *diff.Change, do func(k int, b *Build, f *diff.File) error) error {
	for k, f := range []*diff.File{c.Old, c.New} {
		if f == nil {
			continue
		}
		b, err := i.build(ctx, []string{i.OldBuild, i.NewBuild}[k])
		if err == nil {
			err = do(k, b, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// code returns the text of functions of a package, by their paths. Of contents that are not
// at hand, or damaged, there is none.
func (i *Comparer) code(ctx context.Context, build, path string) (map[string]string, error) {
	b, err := i.build(ctx, build)
	if err != nil {
		return nil, err
	}
	texts, err := b.texts(ctx, path)
	if IsDamage(err) { // a problem of the content, which the catalog has
		return nil, nil
	}
	return texts, err
}

// sees reports whether pixels and samples are compared.
func (i *Comparer) sees() bool { return i.Media && i.contents != nil }

// warn reports what could not be looked at of the change that is compared.
func (i *Comparer) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i.Warnings = append(i.Warnings, text)
	if i.Warn != nil {
		i.Warn(text)
	}
}

// Changed returns what changed inside. It is nil for changes that are none of content, and
// of contents that are not at hand or damaged, which is warned of.
func (i *Comparer) Changed(ctx context.Context, c *diff.Change) (*semantic.Difference, error) {
	i.Warnings, i.Pictures = nil, nil
	if i.sees() && c.Kind == diff.Added {
		fields, err := i.lookElsewhere(ctx, c)
		if err != nil || len(fields) == 0 {
			return nil, err
		}
		return &semantic.Difference{Fields: fields}, nil
	}
	if (c.Kind|c.Also)&(diff.Modified|diff.Cosmetic) == 0 {
		return nil, nil
	}
	in, err := i.Compare(ctx, c)
	if errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) || IsDamage(err) {
		i.warn("%s: %v", c.Name(), err)
		return nil, nil
	}
	if err == nil && i.sees() && in != nil {
		err = i.look(ctx, c, in)
	}
	return in, err
}

// Inside is [Comparer.Changed] for people: of what one build has alone the values,
// and of what has no values that differ all that a page of the file shows, pictures and samples
// of plain files among it. Where bytes are left, Why says why.
func (i *Comparer) Inside(ctx context.Context, c *diff.Change) (*semantic.Difference, error) {
	in, err := i.Changed(ctx, c)
	if err != nil {
		return nil, err
	}
	alone := c.Old == nil || c.New == nil
	switch {
	case alone:
		whole, err := i.Values(ctx, c)
		if err != nil {
			return nil, err
		}
		if in != nil { // a texture that came looks like one that went
			whole.Fields = append(in.Fields, whole.Fields...)
		}
		in = whole
	case in == nil: // of the same content, or not at hand
		return nil, nil
	}
	if tells(in) || !i.sees() || len(i.Pictures) > 0 {
		return in, nil
	}
	if err = unread(i.draw(ctx, c)); err != nil {
		return nil, err
	}
	if len(i.Pictures) > 0 {
		in.Ranges = nil
		return in, nil
	}
	return in, unread(i.explain(ctx, c, in))
}

// tells reports whether there is anything that people edit.
func tells(in *semantic.Difference) bool {
	for k := range in.Fields {
		if !in.Fields[k].Technical {
			return true
		}
	}
	return len(in.Functions) > 0 || len(in.Curves) > 0 || in.Text != ""
}

// draw adds pictures and samples of plain files, and the textures of a package that one
// build has alone.
func (i *Comparer) draw(ctx context.Context, c *diff.Change) (err error) {
	f, alone := cmp.Or(c.New, c.Old), c.Old == nil || c.New == nil
	var one *semantic.Pictures
	switch {
	case media.IsPicture(f.Path, f.Type):
		const side = 1024
		var pictures [2]image.Image
		err = i.sides(ctx, c, func(k int, b *Build, f *diff.File) error {
			_, content, err := b.content(ctx, f.Path)
			if err == nil {
				pictures[k], err = media.Picture(f.Path, f.Type, content, side)
			}
			return err
		})
		if err == nil {
			one = semantic.ComparePictures(pictures[0], pictures[1])
		}
	case alone:
		return i.sides(ctx, c, func(_ int, b *Build, f *diff.File) error {
			p, err := b.Media(ctx, f.Path)
			if err == nil {
				i.Pictures = semantic.PicturesOf(p, c.Old == nil)
			}
			return err
		})
	case strings.EqualFold(path.Ext(f.Path), ".wav"):
		var both [2][]byte
		if both, err = i.bytes(ctx, c); err == nil {
			one, err = semantic.CompareWaves(both[0], both[1])
		}
	}
	if err == nil && one != nil {
		one.Object = path.Base(f.Path)
		i.Pictures = append(i.Pictures, one)
	}
	return err
}

// bytes returns the contents of both sides, nil for a side that there is not.
func (i *Comparer) bytes(ctx context.Context, c *diff.Change) (both [2][]byte, err error) {
	err = i.sides(ctx, c, func(k int, b *Build, f *diff.File) (err error) {
		_, both[k], err = b.content(ctx, f.Path)
		return err
	})
	return both, err
}

// explain adds what the contents mean, as far as it differs, or says why that is nothing.
func (i *Comparer) explain(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	f := cmp.Or(c.New, c.Old)
	if stem, _, part := asset.Split(f.Path); part == asset.Body || part == asset.Bulk {
		in.Why = "Its values are not known: the build has no " + path.Base(stem) + ".uasset, which names them."
	}
	var trees [2]*codecs.Node
	whyOpaque := "" // of a package
	err := i.sides(ctx, c, func(k int, b *Build, f *diff.File) error {
		if whyOpaque != "" {
			return nil
		}
		root, isPackage, err := b.Meaning(ctx, f.Path)
		if err == nil && isPackage {
			whyOpaque, err = b.whyOpaque(ctx, f.Path)
			return err
		}
		trees[k] = root
		return unread(err)
	})
	if err != nil {
		return err
	}
	if whyOpaque != "" { // its values were compared already
		if linked(in) {
			in.Why = "No value that pakdb reads differs, but names or imports do."
			return nil
		}
		in.Why = whyOpaque
		if c.Old != nil && c.New != nil && len(in.Ranges) == 0 {
			both, err := i.bytes(ctx, c)
			if err == nil {
				in.Ranges = semantic.Ranges(both[0], both[1])
			}
			return err
		}
		return nil
	}
	fields := semantic.CompareTrees(trees[0], trees[1])
	switch {
	case len(fields) > 0:
		in.Fields, in.Ranges, in.Why = append(in.Fields, fields...), nil, ""
	case trees[0] != nil || trees[1] != nil:
		in.Why = "All that pakdb reads of it is the same in both builds. These bytes differ."
	case in.Why == "":
		in.Why = "pakdb does not know this format. These bytes differ."
	}
	return nil
}

// linked reports whether a package uses other names or imports than before, which say more
// than bytes.
func linked(in *semantic.Difference) bool {
	return slices.ContainsFunc(in.Fields, func(f semantic.Field) bool {
		return strings.HasPrefix(f.Name, "name ") || strings.HasPrefix(f.Name, "import ")
	})
}

// whyOpaque says why values of a package are not known.
func (b *Build) whyOpaque(ctx context.Context, path string) (string, error) {
	var all []string
	read, err := b.opaque(ctx, path, func(_ int64, why string) { all = append(all, why) })
	all = slices.DeleteFunc(all, func(why string) bool { return why == "" })
	slices.Sort(all)
	switch {
	case err != nil:
		return "", err
	case !read:
		return "Its values were not read: the build was indexed without them.", nil
	case len(all) > 0:
		return fmt.Sprintf("Not all of its values are understood: %s.", strings.Join(slices.Compact(all), "; ")), nil
	}
	return "Its values are the same in both builds. What differs is data of the engine that pakdb does not decode.", nil
}

// look adds what differs of the textures and sounds of a change. Contents that are no
// packages, or are not at hand, have none.
func (i *Comparer) look(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	before, err := i.seen(ctx, i.OldBuild, c.Old.Path)
	if err != nil || before == nil {
		return err
	}
	after, err := i.seen(ctx, i.NewBuild, c.New.Path)
	if err != nil || after == nil {
		return err
	}
	for _, m := range semantic.CompareMedia(before, after) {
		in.Fields = append(in.Fields, semantic.Field{Name: m.Object + "." + m.Field, Old: &m.Old, New: &m.New, Cosmetic: m.Same})
		if m.Pictures != nil {
			i.Pictures = append(i.Pictures, m.Pictures)
		}
	}
	return nil
}

// seen returns the package that a file of a build is part of: nil of contents that are no
// packages, or are not at hand, and of those that are damaged, which is warned of.
func (i *Comparer) seen(ctx context.Context, label, path string) (p *media.Package, err error) {
	b, err := i.build(ctx, label)
	if err != nil {
		return nil, err
	}
	p, err = b.Media(ctx, path)
	if !isAbsent(err) && IsDamage(err) {
		i.warn("%s: %v", path, err)
	}
	return p, unread(err)
}

// lookElsewhere says of textures that came which one that went looked so: it has moved, or
// was encoded anew.
func (i *Comparer) lookElsewhere(ctx context.Context, c *diff.Change) (fields []semantic.Field, err error) {
	p, err := i.seen(ctx, i.NewBuild, c.New.Path)
	if err != nil || p == nil {
		return nil, err
	}
	for _, look := range semantic.Looks(p, c.New.Path) {
		if err := i.findRemoved(ctx); err != nil {
			return nil, err
		}
		if r := look.Nearest(i.removed); r != nil {
			gone := fmt.Sprintf("%s of %s, %d x %d", r.Object, r.Path, r.Width, r.Height)
			same := fmt.Sprintf("looks the same, %d x %d", look.Width, look.Height)
			fields = append(fields, semantic.Field{Name: look.Object + ".Texture.Pixels", Old: &gone, New: &same})
		}
	}
	return fields, nil
}

// mostRemoved bounds the textures that those which came are compared with.
const mostRemoved = 2000

// findRemoved looks at the textures that went, once.
func (i *Comparer) findRemoved(ctx context.Context) error {
	if i.removedKnown || i.Changes == nil {
		return nil
	}
	i.removedKnown = true
	for c, err := range i.Changes(ctx) {
		if err != nil {
			return err
		}
		if c.New != nil || c.Old == nil {
			continue
		}
		p, err := i.seen(ctx, i.OldBuild, c.Old.Path)
		if err != nil {
			return err
		}
		if p != nil {
			i.removed = append(i.removed, semantic.Looks(p, c.Old.Path)...)
		}
		if len(i.removed) >= mostRemoved {
			i.warn("textures that came are compared with %d that went, and not with those after %s", len(i.removed), c.Old.Path)
			return nil
		}
	}
	return nil
}

// unread drops errors of contents that are not at hand or damaged, or of a kind that nothing
// reads.
func unread(err error) error {
	if isAbsent(err) || IsDamage(err) {
		return nil
	}
	return err
}

// isAbsent reports an error of a content that is not at hand, or of a kind that nothing reads.
func isAbsent(err error) bool {
	return errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, codecs.ErrUnknown)
}

// IsDamage reports an error about one content, which says nothing about others.
func IsDamage(err error) bool {
	var fe *codecs.FormatError
	return errors.As(err, &fe) && !process.MachineFailed(err)
}
