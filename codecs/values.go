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
}

// ValueOptions say what contents do not.
type ValueOptions struct {
	Package string // long name of the package, "" where it is not known
}

// Values is what a [ValueReader] read of one content.
type Values struct {
	Engine      int  // 427 for 4.27; 0 where none is known
	Unversioned bool // lists have no tags, and need schemas
	Guessed     bool // the content does not state its engine

	Exports, Exact, Tailed, Lost  int64
	Fields, Opaque, FieldsGuessed int64
	Bytes, OpaqueBytes, TailBytes int64

	Missing      int64  // lost exports of which no schema is known
	MissingClass string // the class that most of these want

	Refs []Ref         // packages that values name and the tables do not
	Rows *family.Batch // of tables whose rows belong to a set of values
}
