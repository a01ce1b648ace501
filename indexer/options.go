package indexer

import (
	"errors"
	"sync/atomic"
	"time"

	"pakdb/codecs"
	"pakdb/internal/objects"
	"pakdb/schema"
)

// Options of a scan. Catalog, Registry and Paths are required.
type Options struct {
	Catalog  *schema.Catalog
	Registry *codecs.Registry
	Paths    []string  // files, folders, patterns
	Label    string    // of the build; "" for DefaultLabel
	Created  time.Time // when the build was made; zero: now
	Force    bool      // scan again what has not changed
	Workers  int       // 0: one per CPU
	// Quick trusts the checksums that archives state: what they cover is not
	// read. Entries get the content that such bytes were once decoded to, or
	// none. Archives without checksums are read as ever.
	Quick bool

	NoValues bool             // do not read the values of objects
	Mappings []schema.Mapping // classes of the game's program; nil: those that the catalog remembers
	Engine   int              // 427 for 4.27: of packages that do not state it; 0: the one that fits best

	Sketch bool          // store what similar contents are recognised by
	Search schema.Search // of the index of texts and paths

	Open     *codecs.Options // limits and keys
	KeyPrint string          // a print of the keys in use, so that other keys make another scan

	Store    *objects.Store // not nil: keep contents there
	Progress *Progress      // not nil: is kept up to date
	Passed   func(error)    // not nil: is called for pipes, devices and links to nothing, which are left out
}

// Progress counts what a scan has done. The indexer writes it; anyone may read
// it meanwhile.
type Progress struct {
	Files      atomic.Int64 // to scan
	FilesDone  atomic.Int64
	Bytes      atomic.Int64 // of all files
	BytesDone  atomic.Int64 // stored bytes read, and the size of files that were known
	Entries    atomic.Int64 // read so far
	Problems   atomic.Int64 // found so far; of a content that several entries hold, once
	Publishing atomic.Bool  // the scan is over; the build is being made visible
}

// Report says what a scan did.
type Report struct {
	Build    string        `json:"build"`
	Archives int           `json:"archives"`
	Reused   int           `json:"reused"` // archives that had not changed
	Entries  int64         `json:"entries"`
	Size     int64         `json:"size"`    // decoded
	Stored   int64         `json:"stored"`  // on disk
	Skimmed  int64         `json:"skimmed"` // entries that were not read, by Options.Quick
	Problems int64         `json:"problems"`
	Elapsed  time.Duration `json:"elapsed_ns"`

	Opaque Opaque `json:"opaque"`
}

// Opaque is what was not read of packages whose lists have no tags.
type Opaque struct {
	schema.Unread

	Mappings string `json:"mappings"` // by which they were read; "" for none

	// Doubted are classes whose objects could not be read by the mappings. All that was read
	// by these schemas is marked as guessed.
	Doubted []string `json:"doubted,omitempty"`

	MappingProblems []string `json:"mapping_problems,omitempty"` // odd items of mappings, which are unknown
}

// errKeep means that a content could not be kept, on a disk or in a bucket.
var errKeep = errors.New("store contents")
