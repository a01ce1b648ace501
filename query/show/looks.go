package show

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/process"
	"pakdb/query"
)

// looker compares pixels and samples.
type looker struct {
	builds   *Files
	old, new string // labels
	warn     func(text string)
	pictures []*semantic.Pictures // of the change that was looked at last

	changes func(context.Context) iter.Seq2[diff.Change, error] // nil: textures that came are not compared with those that went
	removed []removedLook
	known   bool // removed was made
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
func (l *looker) look(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	if l == nil {
		return nil
	}
	if in == nil || c.New == nil {
		return nil
	}
	if c.Old == nil {
		return l.lookElsewhere(ctx, c, in)
	}
	before, err := l.builds.Media(ctx, l.old, c.Old.Path)
	if err != nil {
		return l.unseen(c.Old.Path, err)
	}
	after, err := l.builds.Media(ctx, l.new, c.New.Path)
	if err != nil {
		return l.unseen(c.New.Path, err)
	}
	for _, m := range semantic.CompareMedia(before, after) {
		in.Fields = append(in.Fields, semantic.Field{Name: m.Object + "." + m.Field, Old: &m.Old, New: &m.New, Cosmetic: m.Same})
		if m.Pictures != nil {
			l.pictures = append(l.pictures, m.Pictures)
		}
	}
	return nil
}

// lookElsewhere says of textures that came which one that went looked so: it has moved, or
// was encoded anew.
func (l *looker) lookElsewhere(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	p, err := l.builds.Media(ctx, l.new, c.New.Path)
	if err != nil {
		return l.unseen(c.New.Path, err)
	}
	looks := semantic.Looks(p)
	if len(looks) == 0 {
		return nil
	}
	if err := l.findRemoved(ctx); err != nil {
		return err
	}
	for i := range looks {
		best, near := -1, 0.0
		for k := range l.removed {
			if psnr, ok := looks[i].Alike(&l.removed[k].Look); ok && psnr > near {
				best, near = k, psnr
			}
		}
		if best < 0 {
			continue
		}
		r := &l.removed[best]
		gone := fmt.Sprintf("%s of %s, %d x %d", r.Object, r.path, r.Width, r.Height)
		same := fmt.Sprintf("looks the same, %d x %d", looks[i].Width, looks[i].Height)
		in.Fields = append(in.Fields, semantic.Field{Name: looks[i].Object + ".Texture.Pixels", Old: &gone, New: &same})
	}
	return nil
}

// findRemoved looks at the textures that went.
func (l *looker) findRemoved(ctx context.Context) error {
	if l.known || l.changes == nil {
		return nil
	}
	l.known = true
	for c, err := range l.changes(ctx) {
		if err != nil {
			return err
		}
		if c.New != nil || c.Old == nil {
			continue
		}
		p, err := l.builds.Media(ctx, l.old, c.Old.Path)
		if err != nil {
			if err = l.unseen(c.Old.Path, err); err != nil {
				return err
			}
			continue
		}
		for _, look := range semantic.Looks(p) {
			l.removed = append(l.removed, removedLook{c.Old.Path, look})
		}
		if len(l.removed) >= mostRemoved {
			l.warn(fmt.Sprintf("textures that came are compared with %d that went, and not with those after %s", len(l.removed), c.Old.Path))
			return nil
		}
	}
	return nil
}

// unseen drops errors of contents that are no packages, or are not at hand, and warns of
// those that are damaged.
func (l *looker) unseen(path string, err error) error {
	switch {
	case errors.Is(err, query.ErrNoContent), errors.Is(err, query.ErrTooLarge), errors.Is(err, fs.ErrNotExist), errors.Is(err, codecs.ErrUnknown):
		return nil
	case IsDamage(err):
		l.warn(fmt.Sprintf("%s: %v", path, err))
		return nil
	}
	return err
}

// IsDamage reports an error about one content, which says nothing about others.
func IsDamage(err error) bool {
	var fe *codecs.FormatError
	return errors.As(err, &fe) && !process.MachineFailed(err)
}
