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
	with  *semantic.Comparer
	files *Files
	media *looker // nil: pixels and samples are not compared
	warn  func(string)

	warnings []string // of the change that was compared last
}

// NewComparer returns what compares the contents of two builds, by their labels.
func NewComparer(files *Files, old, new string, o CompareOptions) *Comparer {
	c := &Comparer{files: files, with: &semantic.Comparer{DB: files.db, OldBuild: old, NewBuild: new, Hashes: o.Hashes, Code: files.Code}}
	if files.contents != nil {
		c.with.Contents = files.contents
	}
	c.warn = func(text string) {
		c.warnings = append(c.warnings, text)
		if o.Warn != nil {
			o.Warn(text)
		}
	}
	if o.Media && files.contents != nil {
		c.media = &looker{builds: files, old: old, new: new, changes: o.Changes, warn: c.warn}
	}
	return c
}

// Changed returns what changed inside. It is nil for changes that are none of content, and
// of contents that are not at hand or damaged, which is warned of; and for a nil Comparer.
func (i *Comparer) Changed(ctx context.Context, c *diff.Change) (*semantic.Difference, error) {
	if i == nil {
		return nil, nil
	}
	i.warnings = nil
	if i.media != nil {
		i.media.pictures = nil
	}
	if i.media != nil && c.Kind == diff.Added {
		in := &semantic.Difference{}
		if err := i.media.look(ctx, c, in); err != nil || len(in.Fields) == 0 {
			return nil, err
		}
		return in, nil
	}
	if (c.Kind|c.Also)&(diff.Modified|diff.Cosmetic) == 0 {
		return nil, nil
	}
	in, err := i.with.Compare(ctx, c)
	if errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) || IsDamage(err) {
		i.warn(fmt.Sprintf("%s: %v", c.Name(), err))
		return nil, nil
	}
	if err == nil {
		err = i.media.look(ctx, c, in)
	}
	return in, err
}

// Compare compares the contents of a change, whatever happened to it.
func (i *Comparer) Compare(ctx context.Context, c *diff.Change) (*semantic.Difference, error) {
	return i.with.Compare(ctx, c)
}

// Values returns the values of a package that one build has alone, as fields that came or
// went; it has none of what is no package.
func (i *Comparer) Values(ctx context.Context, c *diff.Change) (*semantic.Difference, error) {
	return i.with.Values(ctx, c)
}

// Warnings returns what could not be looked at of the change that was compared last.
func (i *Comparer) Warnings() []string { return i.warnings }

// Pictures returns those of the change that was compared last.
func (i *Comparer) Pictures() []*semantic.Pictures {
	if i.media == nil {
		return nil
	}
	return i.media.pictures
}

// Close releases what comparing opened.
func (i *Comparer) Close() error {
	if i == nil {
		return nil
	}
	return i.with.Close()
}
