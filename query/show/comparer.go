package show

import (
	"cmp"
	"context"
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

// CompareOptions of a [Comparer]. The zero value works.
type CompareOptions struct {
	// Hashes reports exports with other bytes by hashes also where their values show what
	// changed.
	Hashes bool
	// Media compares the pixels of textures and the samples of sounds, too.
	Media bool
	// Changes are all changes between the builds, for textures that came: one that went may
	// look the same. nil: textures that came are not compared with any.
	Changes func(context.Context) iter.Seq2[diff.Change, error]
	// Warn gets errors of what could not be read, if not nil.
	Warn func(text string)
}

// Comparer compares contents of two builds. It is not safe for concurrent use.
type Comparer struct {
	*semantic.Comparer
	files   *Files
	options CompareOptions
	media   bool // pixels and samples are compared

	removed      []removedLook // textures that went
	removedKnown bool

	warnings []string // of the change that was compared last
	pictures []*semantic.Pictures
}

// NewComparer returns what compares the contents of two builds, by their labels.
func NewComparer(files *Files, old, new string, o CompareOptions) *Comparer {
	return &Comparer{files: files, options: o, media: o.Media && files.contents != nil,
		Comparer: &semantic.Comparer{DB: files.db, Contents: files.texts(), OldBuild: old, NewBuild: new, Hashes: o.Hashes, Code: files.Code}}
}

// warn reports what could not be looked at of the change that is compared.
func (i *Comparer) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i.warnings = append(i.warnings, text)
	if i.options.Warn != nil {
		i.options.Warn(text)
	}
}

// Changed returns what changed inside. It is nil for changes that are none of content, and
// of contents that are not at hand or damaged, which is warned of; and for a nil Comparer.
func (i *Comparer) Changed(ctx context.Context, c *diff.Change) (*semantic.Difference, error) {
	if i == nil {
		return nil, nil
	}
	i.warnings, i.pictures = nil, nil
	if i.media && c.Kind == diff.Added {
		in := &semantic.Difference{}
		if err := i.lookElsewhere(ctx, c, in); err != nil || len(in.Fields) == 0 {
			return nil, err
		}
		return in, nil
	}
	if (c.Kind|c.Also)&(diff.Modified|diff.Cosmetic) == 0 {
		return nil, nil
	}
	in, err := i.Compare(ctx, c)
	if errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) || IsDamage(err) {
		i.warn("%s: %v", c.Name(), err)
		return nil, nil
	}
	if err == nil && i.media && in != nil {
		err = i.look(ctx, c, in)
	}
	return in, err
}

// Warnings returns what could not be looked at of the change that was compared last.
func (i *Comparer) Warnings() []string { return i.warnings }

// Pictures returns those of the change that was compared last.
func (i *Comparer) Pictures() []*semantic.Pictures { return i.pictures }

// Close releases what comparing opened.
func (i *Comparer) Close() error {
	if i == nil {
		return nil
	}
	return i.Comparer.Close()
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
	if tells(in) || !i.media || len(i.pictures) > 0 {
		return in, nil
	}
	if err = unread(i.draw(ctx, c)); err != nil {
		return nil, err
	}
	if len(i.pictures) > 0 {
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
func (i *Comparer) draw(ctx context.Context, c *diff.Change) error {
	f, alone := cmp.Or(c.New, c.Old), c.Old == nil || c.New == nil
	switch isPicture := media.IsPicture(f.Path, f.Type); {
	case isPicture || !alone && strings.EqualFold(path.Ext(f.Path), ".wav"):
		both, err := i.contents(ctx, c)
		if err != nil {
			return err
		}
		compare := comparePictures
		if !isPicture {
			compare = compareWaves
		}
		one, err := compare(c, both)
		if err == nil && one != nil {
			one.Object = path.Base(f.Path)
			i.pictures = append(i.pictures, one)
		}
		return err
	case alone:
		label := i.NewBuild
		if c.New == nil {
			label = i.OldBuild
		}
		p, err := i.files.Media(ctx, label, f.Path)
		if err != nil {
			return err
		}
		i.pictures = semantic.PicturesOf(p, c.Old == nil)
	}
	return nil
}

func compareWaves(_ *diff.Change, both [2][]byte) (*semantic.Pictures, error) {
	return semantic.CompareWaves(both[0], both[1])
}

// contents returns the bytes of both sides, nil for a side that there is not.
func (i *Comparer) contents(ctx context.Context, c *diff.Change) (both [2][]byte, err error) {
	for k, side := range []*diff.File{c.Old, c.New} {
		if side == nil {
			continue
		}
		b, err := i.files.Of(ctx, []string{i.OldBuild, i.NewBuild}[k])
		if err != nil {
			return both, err
		}
		if _, both[k], err = b.content(ctx, side.Path); err != nil {
			return both, err
		}
	}
	return both, nil
}

func comparePictures(c *diff.Change, both [2][]byte) (*semantic.Pictures, error) {
	const side = 1024
	var pictures [2]image.Image
	for k, f := range []*diff.File{c.Old, c.New} {
		if f == nil {
			continue
		}
		var err error
		if pictures[k], err = media.Picture(f.Path, f.Type, both[k], side); err != nil {
			return nil, err
		}
	}
	return semantic.ComparePictures(pictures[0], pictures[1]), nil
}

// explain adds what the contents mean, as far as it differs, or says why that is nothing.
func (i *Comparer) explain(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	f := cmp.Or(c.New, c.Old)
	if stem, _, part := asset.Split(f.Path); part == asset.Body || part == asset.Bulk {
		in.Why = "Its values are not known: the build has no " + path.Base(stem) + ".uasset, which names them."
	}
	meant, known := [2][]pair{}, false
	for k, side := range []*diff.File{c.Old, c.New} {
		if side == nil {
			continue
		}
		b, err := i.files.Of(ctx, []string{i.OldBuild, i.NewBuild}[k])
		if err != nil {
			return err
		}
		root, isPackage, err := b.Meaning(ctx, side.Path)
		if err != nil && unread(err) == nil {
			continue
		}
		if err != nil {
			return err
		}
		if isPackage { // its values were compared already
			if linked(in) {
				in.Why = "No value that pakdb reads differs, but names or imports do."
				return nil
			}
			in.Why, err = b.whyOpaque(ctx, side.Path)
			return errors.Join(err, i.bytes(ctx, c, in))
		}
		known = true
		meant[k] = flatten(root, "", nil)
	}
	fields := comparePairs(meant[0], meant[1])
	switch {
	case len(fields) > 0:
		in.Fields, in.Ranges, in.Why = append(in.Fields, fields...), nil, ""
	case known:
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

// bytes adds where the bytes of both sides differ.
func (i *Comparer) bytes(ctx context.Context, c *diff.Change, in *semantic.Difference) (err error) {
	if c.Old == nil || c.New == nil || len(in.Ranges) > 0 {
		return nil
	}
	both, err := i.contents(ctx, c)
	if err == nil {
		in.Ranges = semantic.Ranges(both[0], both[1])
	}
	return err
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

// pair is a value by its name in a tree.
type pair struct{ name, value string }

// mostMeant bounds the values of a tree that are compared.
const mostMeant = 20_000

// flatten appends the values of a tree by their names: "Summons.[0]".
func flatten(n *codecs.Node, name string, all []pair) []pair {
	for k, child := range n.Children {
		if len(all) >= mostMeant {
			break
		}
		called := cmp.Or(child.Name, fmt.Sprintf("[%d]", k))
		if name != "" && !strings.HasPrefix(called, "[") {
			called = "." + called
		}
		called = name + called
		if child.Value != nil && child.Inherited == "" {
			all = append(all, pair{called, fmt.Sprint(child.Value)})
		}
		all = flatten(child, called, all)
	}
	return all
}

// comparePairs lists the values that differ, in the order of the old ones with those that
// came at the end.
func comparePairs(old, new []pair) (all []semantic.Field) {
	after, before := map[string]*string{}, map[string]bool{}
	for k := range new {
		after[new[k].name] = &new[k].value
	}
	for k := range old {
		before[old[k].name] = true
		if now := after[old[k].name]; now == nil || *now != old[k].value {
			all = append(all, semantic.Field{Name: old[k].name, Old: &old[k].value, New: now})
		}
	}
	for k := range new {
		if !before[new[k].name] {
			all = append(all, semantic.Field{Name: new[k].name, New: &new[k].value})
		}
	}
	return all
}

// removedLook is what a texture of the old build looks like that the new one has not at its
// path.
type removedLook struct {
	path string
	semantic.Look
}

// mostRemoved bounds the textures that those which came are compared with.
const mostRemoved = 2000

// look adds what differs of the textures and sounds of a change. Contents that are no
// packages, or are not at hand, have none.
func (i *Comparer) look(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	switch {
	case c.New == nil:
		return nil
	case c.Old == nil:
		return i.lookElsewhere(ctx, c, in)
	}
	before, err := i.files.Media(ctx, i.OldBuild, c.Old.Path)
	if err != nil {
		return i.unseen(c.Old.Path, err)
	}
	after, err := i.files.Media(ctx, i.NewBuild, c.New.Path)
	if err != nil {
		return i.unseen(c.New.Path, err)
	}
	for _, m := range semantic.CompareMedia(before, after) {
		in.Fields = append(in.Fields, semantic.Field{Name: m.Object + "." + m.Field, Old: &m.Old, New: &m.New, Cosmetic: m.Same})
		if m.Pictures != nil {
			i.pictures = append(i.pictures, m.Pictures)
		}
	}
	return nil
}

// lookElsewhere says of textures that came which one that went looked so: it has moved, or
// was encoded anew.
func (i *Comparer) lookElsewhere(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	p, err := i.files.Media(ctx, i.NewBuild, c.New.Path)
	if err != nil {
		return i.unseen(c.New.Path, err)
	}
	looks := semantic.Looks(p)
	if len(looks) == 0 {
		return nil
	}
	if err := i.findRemoved(ctx); err != nil {
		return err
	}
	for _, look := range looks {
		best, near := -1, 0.0
		for k := range i.removed {
			if psnr, ok := look.Alike(&i.removed[k].Look); ok && psnr > near {
				best, near = k, psnr
			}
		}
		if best < 0 {
			continue
		}
		r := &i.removed[best]
		gone := fmt.Sprintf("%s of %s, %d x %d", r.Object, r.path, r.Width, r.Height)
		same := fmt.Sprintf("looks the same, %d x %d", look.Width, look.Height)
		in.Fields = append(in.Fields, semantic.Field{Name: look.Object + ".Texture.Pixels", Old: &gone, New: &same})
	}
	return nil
}

// findRemoved looks at the textures that went.
func (i *Comparer) findRemoved(ctx context.Context) error {
	if i.removedKnown || i.options.Changes == nil {
		return nil
	}
	i.removedKnown = true
	for c, err := range i.options.Changes(ctx) {
		if err != nil {
			return err
		}
		if c.New != nil || c.Old == nil {
			continue
		}
		p, err := i.files.Media(ctx, i.OldBuild, c.Old.Path)
		if err != nil {
			if err = i.unseen(c.Old.Path, err); err != nil {
				return err
			}
			continue
		}
		for _, look := range semantic.Looks(p) {
			i.removed = append(i.removed, removedLook{c.Old.Path, look})
		}
		if len(i.removed) >= mostRemoved {
			i.warn("textures that came are compared with %d that went, and not with those after %s", len(i.removed), c.Old.Path)
			return nil
		}
	}
	return nil
}

// unseen drops errors of contents that are no packages, or are not at hand, and warns of
// those that are damaged.
func (i *Comparer) unseen(path string, err error) error {
	if !isAbsent(err) && IsDamage(err) {
		i.warn("%s: %v", path, err)
	}
	return unread(err)
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
