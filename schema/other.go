package schema

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
	"pakdb/schema/internal/other"
)

// Other is a catalog that is merged into another one. It is read as it was when it was
// opened, and never written to.
type Other struct {
	path   string
	from   *other.Catalog
	worded bool // its words were handed over
	mapped bool // its mappings were, too
}

// OpenOther opens a catalog to be merged. One that is damaged, as far as [QuickSize] lets
// it be checked, or of another version is refused.
func OpenOther(ctx context.Context, path string) (*Other, error) {
	o := &Other{path: file.Resolve(path)}
	if err := o.open(ctx); err != nil {
		return nil, o.named(err)
	}
	return o, nil
}

func (o *Other) open(ctx context.Context) error {
	if err := file.IsStored(ctx, o.path); err != nil {
		return err
	}
	db := conn.OpenReader(o.path)
	err := file.CheckForeign(ctx, db)
	if err == nil {
		_, err = file.QuickCheck(ctx, db, o.path)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	o.from, err = other.Open(ctx, o.path)
	return err
}

// named adds the path of the catalog to an error.
func (o *Other) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("catalog %s: %w", o.path, conn.Classify(err))
}

// Close closes the catalog.
func (o *Other) Close() error { return o.from.Close() }

// Path returns the file's path, links resolved.
func (o *Other) Path() string { return o.path }

// MergeStep is a build that is to be merged.
type MergeStep struct {
	Label    string
	Created  time.Time
	From     *Other
	Same     bool // the catalog has the build, or will have it by then: there is nothing to do
	Replaces bool // the catalog has another build of that label, or will have it by then

	Archives, Bytes int64 // how many, and the size of their files

	build other.Build
}

// ErrOtherBuild means that a catalog has another build of that label.
var ErrOtherBuild = errors.New("the catalog has another build of that label")

// PlanMerge lists the builds of other catalogs in the order in which they are to be merged into c:
// that of their times; those of one time in the order of others, and in which they were
// scanned. Two builds of one label are the same when they mount the same archives in the
// same way, which were scanned alike. Otherwise the error is [ErrOtherBuild], unless the
// later one is to replace the earlier.
func PlanMerge(ctx context.Context, c *Catalog, others []*Other, replace bool) (steps []MergeStep, err error) {
	prints := map[*Other]map[string]string{}
	for _, o := range others {
		builds, err := o.from.Builds(ctx)
		if err == nil {
			prints[o], err = o.from.Prints(ctx)
		}
		if err != nil {
			return nil, o.named(err)
		}
		for _, b := range builds {
			steps = append(steps, MergeStep{Label: b.Label, Created: b.Created, From: o, Archives: b.Archives, Bytes: b.Bytes, build: b})
		}
	}
	slices.SortStableFunc(steps, func(a, b MergeStep) int { return a.Created.Compare(b.Created) })
	finder := conn.NewFinder(c.path)
	defer func() { _ = finder.Close() }()
	there, err := other.Prints(ctx, finder)
	if err != nil {
		return nil, c.named(err)
	}
	for i := range steps {
		s := &steps[i]
		old, found := there[s.Label]
		mounts := prints[s.From][s.Label]
		s.Same, s.Replaces = found && old == mounts, found && old != mounts
		if s.Replaces && !replace {
			return nil, s.From.named(fmt.Errorf("%w: %q", ErrOtherBuild, s.Label))
		}
		there[s.Label] = mounts
	}
	return steps, nil
}

// inspectedSince reports whether a later inspector found what there is about a content, or
// the same one: "calligraphy/2" is later than "calligraphy/1".
func inspectedSince(there, here string) bool {
	name, revision := revisionOf(there)
	ours, of := revisionOf(here)
	return there != "" && name == ours && cmp.Compare(revision, of) >= 0
}

func revisionOf(inspector string) (name string, revision int) {
	name, number := SplitPath(inspector)
	revision, err := strconv.Atoi(number)
	if err != nil {
		return inspector, 0
	}
	return name, revision
}
