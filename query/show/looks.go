package show

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/process"
	"pakdb/query"
)

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
