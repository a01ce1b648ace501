package diff

import (
	"database/sql/driver"
	"fmt"

	"pakdb/internal/stored"
)

// The names of the ways of transport.
const (
	WayBuild   = "build"   // all files of the new build
	WayFiles   = "files"   // those that the old build does not have, whole
	WayChunks  = "chunks"  // chunks of 1 MiB of them that no old file has at any place, as Steam's and Epic's stores deliver them
	WayEntries = "entries" // entries that are new or changed, whole, as a patch archive has them
	WayDelta   = "delta"   // the transport patch that "pakdb delta make" makes
)

// Way is what an update takes by one way of transport.
type Way struct {
	Name  string // WayBuild, WayFiles, WayChunks, WayEntries or WayDelta
	Bytes int64
	Parts int64 // how many files, chunks or entries these are; 0 of a transport patch
	Of    int64 // of how many the new build has
	Made  int64 // of a transport patch: bytes of blocks that applying it compresses again, which takes most of its CPU
	Exact bool  // else an estimate; Made is one wherever Bytes is
}

// WayColumns are those of [Way.Row].
func WayColumns() []string { return []string{"way", "bytes", "parts", "of", "exact", "made"} }

// Row returns a value for each of WayColumns.
func (d *Way) Row() []driver.Value {
	exact := int64(0)
	if d.Exact {
		exact = 1
	}
	row := []driver.Value{d.Name, d.Bytes, d.Parts, d.Of, exact, d.Made}
	if d.Of == 0 {
		row[2], row[3] = nil, nil
	}
	if d.Name != WayDelta {
		row[5] = nil
	}
	return row
}

// Text tells people what a way of transport fetches.
func (d *Way) Text() string {
	switch d.Name {
	case WayBuild:
		if d.Of == 1 {
			return "all of 1 file"
		}
		return fmt.Sprintf("all of %d files", d.Of)
	case WayFiles:
		return fmt.Sprintf("whole files: %d of %d", d.Parts, d.Of)
	case WayChunks:
		return fmt.Sprintf("a store of 1 MiB chunks: %d of %d, compressed", d.Parts, d.Of)
	case WayEntries:
		return fmt.Sprintf("a patch archive of whole entries: %d of %d", d.Parts, d.Of)
	}
	const patch = "a transport patch (pakdb delta make)"
	if d.Made == 0 {
		return patch
	}
	return patch + "; applying it compresses " + stored.HumanSize(float64(d.Made)) + " again"
}
