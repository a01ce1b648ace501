package codecs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"pakdb/internal/process"
)

// Damage is a problem of an archive as a whole: it has no footer, its index is
// damaged, it was cut short, it cannot be read, or a file that holds its contents
// is missing. What such an archive lists is less than what its maker put in, so
// that nobody may conclude from it that an entry was removed. Damage of a single
// entry is none of it.
type Damage struct {
	Build   string // label or path of the build; "" where there is one only
	Archive string // file of the archive, relative to the folder that was named
	Field   string // the format's word for what is damaged, "" for the file itself
	Offset  int64  // absolute, -1 for no place
	Cause   string
	Listed  bool // every entry is listed, although a file of their contents is missing, or the game cannot find them
}

// String returns "new/Game.pak: footer at 0x1f40: truncated: ...".
func (d Damage) String() string {
	text := d.Archive
	if d.Build != "" && d.Build != d.Archive {
		text = d.Build + ": " + text
	}
	if d.Field != "" {
		text += ": " + d.Field
	}
	if d.Offset >= 0 {
		text += fmt.Sprintf(" at 0x%x", d.Offset)
	}
	return text + ": " + d.Cause
}

// NeedsKey reports whether the only fault is a missing or wrong key of the index, which
// does not matter to callers that read files as bytes. Causes begin with their
// class, also in a catalog.
func (d Damage) NeedsKey() bool {
	return strings.HasPrefix(d.Cause, ErrEncrypted.Error()) || strings.HasPrefix(d.Cause, ErrWrongKey.Error())
}

// ErrDamaged is the class of [DamageError].
var ErrDamaged = errors.New("damaged archive")

// DamageError refuses to conclude anything from damaged archives. It is an
// [ErrDamaged].
type DamageError struct{ Found []Damage }

// Error names the first of the archives, and how many more there are.
func (e *DamageError) Error() string {
	text := ErrDamaged.Error() + ": " + e.Found[0].String()
	if n := len(e.Found) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

func (e *DamageError) Unwrap() error { return ErrDamaged }

// RefuseDamaged returns a [DamageError] if anything was found, unless that is
// allowed.
func RefuseDamaged(found []Damage, allowed bool) error {
	if allowed || len(found) == 0 {
		return nil
	}
	return &DamageError{found}
}

// DamagesFile reports whether the reason why a file is not read as an archive,
// from Detect, Open or Explain, is damage of the archive. It is not when the file
// is known to be something else, which is ErrUnknown, or when the machine failed.
func DamagesFile(err error) bool {
	return err != nil && !errors.Is(err, ErrUnknown) && !isCancelled(err) && !process.MachineFailed(err)
}

// DamagesTables reports whether an error that came with e concerns the archive as a
// whole: e is nil for errors of a table and for Info.Warnings. Entries that do not
// lie within the file show that it was cut short. A departure from the format, or
// a key that is missing, hides no entry.
func DamagesTables(e *Entry, err error) bool {
	switch {
	case err == nil, isCancelled(err), process.MachineFailed(err):
		return false
	case e != nil:
		return errors.Is(err, ErrTruncated)
	}
	var fe *FormatError
	if errors.As(err, &fe) && fe.Entry != "" {
		return false
	}
	for _, harmless := range []error{ErrNonStrict, ErrEncrypted, ErrWrongKey} {
		if errors.Is(err, harmless) {
			return false
		}
	}
	return true
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// NewDamage describes err, as far as it says where it is.
func NewDamage(archive string, err error) Damage {
	d := Damage{Archive: archive, Offset: -1, Cause: err.Error()}
	var fe *FormatError
	if errors.As(err, &fe) {
		d.Field, d.Offset, d.Cause = fe.Field, fe.Off, fe.Err.Error()
	}
	return d
}

// Damage looks for damage of the file src, which its build calls name: by its
// bytes, by what its extension promises, by its tables, and by the files beside it
// that hold its contents. Contents are not read, except those that are tables. The error is that of ctx,
// or a failure of the machine, which says nothing about the archive.
func (r *Registry) Damage(ctx context.Context, name string, src Source, o *Options) ([]Damage, error) {
	one := func(err error) ([]Damage, error) {
		if DamagesFile(err) {
			return []Damage{NewDamage(name, err)}, nil
		}
		if process.MachineFailed(err) {
			return nil, err
		}
		return nil, ctx.Err()
	}
	f, err := r.Detect(src)
	if err != nil {
		return one(err)
	}
	if f.Fallback() {
		return one(r.ExplainLoss(src))
	}
	a, err := f.Open(ctx, src, o)
	if err != nil {
		return one(err)
	}
	c := damageOf(ctx, name, r, a)
	if err := a.Close(); err != nil {
		c.Add(nil, err)
	}
	if c.Failed != nil {
		return nil, c.Failed
	}
	return append(c.Found, MissingParts(name, f, src)...), ctx.Err()
}

// ExplainLoss reports why src, which no format recognises, is a damaged archive by what
// its extension promises; nil: it is none. A file that belongs to an archive beside
// it is looked at with that.
func (r *Registry) ExplainLoss(src Source) error {
	if src.Dir != nil && r.IsPart(src.Name, src.Dir) {
		return nil
	}
	if why := r.Explain(src); DamagesFile(why) {
		return why
	}
	return nil
}

// damageOf asks an opened archive.
func damageOf(ctx context.Context, name string, r *Registry, a Archive) *DamageCollector {
	c := NewDamageCollector(name, a)
	for e, err := range a.Entries() {
		if ctx.Err() != nil {
			break
		}
		if c.Add(e, err); e != nil && err == nil {
			c.AddTable(ctx, r, a, e)
		}
	}
	return c
}

// DamageCollector gathers the damage of one archive, for callers that read its entries
// anyway.
type DamageCollector struct {
	Found  []Damage
	Failed error // the first failure of the machine: what was found is not all

	archive string
	cut     int // entries beyond the end
	first   int // of Found: the first of them
	cause   string
}

// NewDamageCollector begins with the warnings of the archive.
func NewDamageCollector(name string, a Archive) *DamageCollector {
	c := &DamageCollector{archive: name}
	for _, w := range a.Info().Warnings {
		c.Add(nil, w)
	}
	return c
}

// Add takes what Entries yields, and reports whether the error is damage of the
// archive. Entries that are cut off are reported once, with their number.
func (c *DamageCollector) Add(e *Entry, err error) bool {
	switch {
	case process.MachineFailed(err):
		c.Failed = cmp.Or(c.Failed, err)
		return false
	case !DamagesTables(e, err):
		return false
	case e == nil:
		c.Found = append(c.Found, NewDamage(c.archive, err))
		return true
	}
	if c.cut++; c.cut == 1 {
		c.first = len(c.Found)
		c.Found = append(c.Found, NewDamage(c.archive, err))
		c.cause = c.Found[c.first].Cause
		return true
	}
	c.Found[c.first].Cause = fmt.Sprintf("%s (and %d more such problems)", c.cause, c.cut-1)
	return true
}

// maxTable bounds the tables that are read: those of a game with a million packages have
// 64 MB.
const maxTable = 256 << 20

// AddTable adds the damage of an entry whose content is a table of its archive.
func (c *DamageCollector) AddTable(ctx context.Context, r *Registry, a Archive, e *Entry) {
	at := slices.IndexFunc(r.Inspectors, func(in *Inspector) bool { return in.Table != nil && in.Match(e, nil) && in.Table(e) })
	if at < 0 || e.Size > maxTable {
		return
	}
	var facts *Facts
	content, err := readTable(ctx, a, e)
	if err == nil {
		facts, err = r.Inspectors[at].Inspect(ctx, bytes.NewReader(content), int64(len(content)), e)
	}
	switch {
	case process.MachineFailed(err):
		c.Failed = cmp.Or(c.Failed, err)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && DamagesTables(nil, withoutEntry(err)):
		c.addListed(err)
	}
	if facts != nil {
		for _, p := range facts.Problems {
			c.addListed(p)
		}
	}
}

// addListed adds damage that hides no entry.
func (c *DamageCollector) addListed(err error) {
	d := NewDamage(c.archive, err)
	d.Listed = true
	c.Found = append(c.Found, d)
}

func readTable(ctx context.Context, a Archive, e *Entry) ([]byte, error) {
	r, err := a.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, e.Size+1))
	return b, errors.Join(err, r.Close())
}

// withoutEntry is an error of an entry as one of its archive.
func withoutEntry(err error) error {
	var fe *FormatError
	if !errors.As(err, &fe) {
		return err
	}
	whole := *fe
	whole.Entry = ""
	return &whole
}

// Fallback reports whether f is the format of files that no other one claims: no
// extension promises it.
func (f *Format) Fallback() bool { return len(f.Exts) == 0 }

// MissingParts returns which of the files beside src that hold its contents are
// not there.
func MissingParts(name string, f *Format, src Source) (found []Damage) {
	if f.Parts == nil {
		return nil
	}
	parts, err := f.Parts(src)
	if err != nil {
		return nil // Open says the same
	}
	for _, part := range parts {
		err := error(fs.ErrNotExist)
		if src.Dir != nil {
			_, err = fs.Stat(src.Dir, part)
		}
		if errors.Is(err, fs.ErrNotExist) {
			found = append(found, Damage{Archive: name, Offset: -1, Cause: Errorf(ErrTruncated, "%s, which holds its contents, is missing", part).Error(), Listed: true})
		}
	}
	return found
}

// NamedFormat is a file of a build and the format that it is read as.
type NamedFormat struct{ Name, Format string }

// Demoted compares the files of two builds by their names, in which case does not
// count: one that is an archive in one build and of no known format in the other
// has lost what makes it one, whatever it is called. The results have no Build.
func (r *Registry) Demoted(old, new []NamedFormat) (inOld, inNew []Damage) {
	before := map[string]string{}
	for _, f := range old {
		before[strings.ToLower(f.Name)] = f.Format
	}
	tell := func(name, format string) Damage {
		return Damage{Archive: name, Offset: -1, Cause: Errorf(ErrCorrupt, "not read as an archive; in the other build it is one of format %s", format).Error()}
	}
	for _, f := range new {
		oldFormat, ok := before[strings.ToLower(f.Name)]
		if !ok {
			continue
		}
		switch wasLoose, isLoose := r.fallback(oldFormat), r.fallback(f.Format); {
		case isLoose && !wasLoose:
			inNew = append(inNew, tell(f.Name, oldFormat))
		case wasLoose && !isLoose:
			inOld = append(inOld, tell(f.Name, f.Format))
		}
	}
	return inOld, inNew
}

func (r *Registry) fallback(name string) bool {
	f, ok := r.Format(name)
	return ok && f.Fallback()
}

// MergeDamage adds to found the damage of more that it lacks, and sorts by archive.
func MergeDamage(found, more []Damage) []Damage {
	for _, d := range more {
		if !slices.ContainsFunc(found, func(f Damage) bool { return f.Archive == d.Archive }) {
			found = append(found, d)
		}
	}
	slices.SortStableFunc(found, func(a, b Damage) int { return cmp.Compare(a.Archive, b.Archive) })
	return found
}

// HidesEntries reports whether one of the archives may lack entries. Of the others only
// contents are missing, and what changed is known.
func HidesEntries(found []Damage) bool {
	return slices.ContainsFunc(found, func(d Damage) bool { return !d.Listed })
}

// DamageTexts returns a line for each damage, for manifests and reports.
func DamageTexts(found []Damage) (lines []string) {
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines
}
