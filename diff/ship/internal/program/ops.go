package program

// A segment is one stream of package delta: numbers, each in the context of its
// meaning, and contents.

// Operations. The lower the number, the less it costs where there are few.
const (
	opEnd        = iota // of the segment
	opRaw               // content that is written as it is
	opCopy              // bytes of an old file
	opAll               // names old content: all old files, and more
	opDigest            // a digest that is before what it covers
	opNext              // the new file is complete; what follows is of the next one
	opPart              // a digest after the place and the size of what it covers
	opMake              // content that is written as a recipe stores it
	opSource            // names the old content that what follows is coded by
	opSame              // a digest again
	opPieces            // copies entries, by these tables
	opPredict           // as opSource: what the tables will probably be
	opTables            // names the tables of an old archive
	opSeal              // what follows is encrypted, or no longer is
	opMove              // bytes of an old file, as content
	opSealedSame        // a digest again, in what is encrypted
)

// Contexts of numbers. Signed ones are zigzag.
const (
	inOp         = iota
	inCopyLen    // bytes and 2; 0: all that the new file lacks; 1: up to the end of the old file
	inCopyFile   // of the old files, whose tables are meant
	inCopyOff    // signed, from the end of the copy before from that file
	inRawLen     // bytes; 0: all that the new file lacks, up to the most that a content has
	inRawGuess   // signed: place in the source, from the end of the content before
	inMakeLen    // decoded bytes
	inMakeGuess  // as inRawGuess
	inMakeBlock  // decoded bytes a block but the last
	inRecipe     // of the header's recipes
	inRanges     // how many
	inRangeFile  // of the old files, signed, from that of the range before
	inRangeOff   // signed, from the end of the range before, of another file from 0
	inRangeLen   // stored bytes, signed, against the range before
	inMethod     // index into methods, and so many more for each number of the key
	inRangeSize  // decoded bytes, signed, against the range before
	inDigestAt   // signed: place of the digest from the start of the last opRaw
	inDigestFrom // signed: start of what it covers from the end of the last opRaw
	inDigestTo   // its end, back from the end of the output so far
	inSameAt     // signed: place, from the end of the digest before
	inSameOf     // signed: which, against the one before it and one
	inTable      // kind of tables; how they are predicted; steps
	inSkip       // signed: things left between what was taken last and what is taken
	inRun        // things that are taken one after the other
	inAdded      // rows that are new
	inNameLen    // bytes of a new row's name
	inNewAt      // signed: place of a new row's entry, from the end of that of the row before
	inCopyFrom   // 0-3: where a copy ended, the last one first; 4: the new file, 5 and more: signed, of the old files, from the last one; and then inCopyOff
	inPad        // signed: zeros before a piece, from as many as a packer would write
	inKey        // of the header's keys, from 1; 0: none
	inUnit       // AES blocks from the start of the unit
)

// DigestSize is that of SHA-1, the only digest yet.
const DigestSize = 20

// zigzag maps small numbers of either sign to small ones: 0, -1, 1, -2 to 0, 1, 2, 3.
func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
