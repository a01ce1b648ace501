package codecs

import (
	"context"
	"io"

	"pakdb/codecs/family"
)

// ValueReader reads the values of objects, once an inspector has read the tables that
// say where these are. It is safe for concurrent use.
type ValueReader struct {
	Name     string
	Revision int // raised when its values change: reads them again
	// Takes reports whether contents of these facts have values.
	Takes func(f *Facts) bool
	// Read returns the values in exports. The offsets in facts are in r, minus base.
	// What cannot be read is counted and no error: an error means that r failed.
	Read func(ctx context.Context, f *Facts, r io.ReaderAt, base, size int64, o *ValueOptions) (*Values, error)

	// Mappings parses the file of that name: classes of a game's program.
	Mappings func(name string, data []byte) (*Mappings, error)
	// Classes returns the classes that mappings have, those of the first first.
	Classes func(all []*Mappings) Classes
	// Candidates lists the engines that may have made a content that does not state
	// its engine, the likeliest first.
	Candidates func(f *Facts) []int
	// Better reports whether v fits better than other: values of the same contents,
	// read by the rules of another engine.
	Better func(v, other *Values) bool
}

// Classes are what lists without tags are read by. Fill them first; then they are safe
// for concurrent use.
type Classes interface {
	// Declare adds the classes, structs and enums that a content declares.
	Declare(f *Facts, r io.ReaderAt, base, size int64, o *ValueOptions) error
	// Doubted returns which classes are read by a schema that seems wrong, where objects
	// of the failed ones could not be read.
	Doubted(failed []string) func(class string) bool
}

// Mappings are the classes of a game's program, as a file has them.
type Mappings struct {
	Parsed any
	Count  int
	Rows   func() *family.Batch // as of a content
	Names  func() any           // what [Dictionary.Resolve] takes for one; nil: none

	Problems []error // odd items: all others are read
}

// ValueOptions say what contents do not.
type ValueOptions struct {
	Package string  // long name of the package, "" where it is not known
	Engine  int     // of contents that do not state it; 0 guesses
	Classes Classes // nil: those that the content declares
}

// Values is what a [ValueReader] read of one content.
type Values struct {
	Context     int64 // stands for the classes and the engine that were used; 0: the content's own
	Engine      int   // 427 for 4.27; 0 where none is known
	Unversioned bool  // lists have no tags, and need schemas
	Guessed     bool  // the content does not state its engine

	Exports, Exact, Tailed, Lost  int64
	Fields, Opaque, FieldsGuessed int64
	Bytes, OpaqueBytes, TailBytes int64

	Missing      int64  // lost exports of which no schema is known
	MissingClass string // the class that most of these want

	Refs []Ref         // packages that values name and the tables do not
	Rows *family.Batch // of tables whose rows belong to a set of values
}

// Add adds the counts of other values.
func (v *Values) Add(other *Values) {
	v.Exports += other.Exports
	v.Exact += other.Exact
	v.Tailed += other.Tailed
	v.Lost += other.Lost
	v.Fields += other.Fields
	v.Opaque += other.Opaque
	v.FieldsGuessed += other.FieldsGuessed
	v.Bytes += other.Bytes
	v.OpaqueBytes += other.OpaqueBytes
	v.TailBytes += other.TailBytes
}
