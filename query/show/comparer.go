package show

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"pakdb/diff"
	"pakdb/diff/semantic"
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
