package indexer

import "sync/atomic"

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
