package record

import "pakdb/internal/family"

// Package is the Unreal package whose exports a content holds.
type Package struct {
	Path   string // of its entry, in the same archive
	Name   string // "/Game/A/B"; "" when it is not known
	Header int64  // 0: the content is the package; else the start of its essence, see package_digest
}

// Values are the values of the exports in a content.
type Values struct {
	Reader  string // name and revision: "unreal-values/1"
	Context int64  // 0: they follow from the content and its package alone
	Engine  int64  // 427 for 4.27; 0 for UE1 to UE3
	Traits  int64  // 1 unversioned lists, 2 the package does not state its engine

	Exports, Exact, Tailed, Lost  int64
	Fields, Opaque, Guessed       int64
	Bytes, OpaqueBytes, TailBytes int64

	Missing      int64  // lost exports of which no schema is known
	MissingClass string // the class that most of these want; "" for none

	Rows *family.Batch // of tables whose rows belong to a set of values
}
