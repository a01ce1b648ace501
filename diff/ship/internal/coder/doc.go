// Package coder codes a content by what an older one has.
//
// A content is a row of steps, as LZMA has them: a byte by itself, or a run of
// bytes that are elsewhere. Elsewhere is the old content, at a shift against
// the new one's position, or what the coder has seen of the contents before. The
// last four references stay at hand, so that going on in step after an edit
// costs a fraction of a bit. Everything is coded by one adaptive
// binary range coder, numbers between the contents too: a small patch has no
// streams to pay for, and small contents are compressed as one solid whole.
//
// A byte by itself is predicted by several contexts at once, mixed as PAQ does it: by
// the bytes before it, by what is in its place in the old content and around
// that, and by what it differed by last time: numbers that are shifted, pointers of
// programs or places in tables, differ by the same again. What says how steps go
// on is mixed from three. Over LZMA's contexts that takes a tenth off text, 15 % off
// kernel modules, half off programs of which all pointers changed, and nine tenths
// and more off tables of counters, for 40 ns a bit of a literal.
//
// Numbers that grew because something was inserted before what they name (references in packages,
// addresses in programs) are corrected within a run: a number that became another one becomes
// the same wherever the old content has it, and those near it grow by as much. A flag says so, which
// the numbers around it and their history foresee. No format need be known for that. A map of
// an Unreal game, of which every reference shifted, takes an eighth of what it took without that, and
// the programs of two builds a quarter less. Only such runs look at each byte, for about 200 ns.
//
// This was chosen over bsdiff's model (copies with differences, differences and
// new bytes in streams of their own under zstd), which was built first. On the
// changed contents of two builds of a mod, 272,941 bytes of Unreal assets, that
// took 46,837 bytes; zstd -19 with the old contents as dictionary takes 24,668,
// and this coder about 20,000. Assets are tables of small numbers: two unrelated
// ones agree in most bytes, all zeros, so that "most bytes agree" means nothing.
//
// Runs are found by hash: of an old content windows of 16 bytes, at every second
// position of one above 32 KiB, every fourth above 64 KiB, fewer where a table of
// 32 MiB would not do; of what was seen before every 4 bytes. A suffix array would
// take 4 to 17 times the content. Steps are chosen by their price, as a shortest
// path through the next 2,048 positions; runs of 32 bytes are taken at once, so
// that what is equal costs no more than comparing it. For the first small contents
// of a stream, and for [Encoder.Best], much more is looked at, and every 4 bytes of
// the old content are found too; for Best, what was seen is found by LZMA's binary
// tree. Where the last reference to the old content ended, what is close after is
// looked through: what was inserted, deleted or renamed leads there. Blocks in
// which nothing can be gained (noise, compressed pictures and sounds) are written
// as they are.
//
// Loops that price steps and code bits are go:norace, as in package exact: the race detector
// skips the tables of one encoder. It watches where matches are compared and indexes read.
//
// Nothing here depends on time, on map order or on the number of processors: the
// same contents give the same stream. A [Decoder] is safe against any stream.
//
// What flows through:
//
//	new content ── Encoder ── parser.choose: text, finder, prices ── steps
//	                                                                   │
//	              bytes ── rangeCoder ── decisions ── models.step, literals.code
//	                │
//	              Decoder ── models.step, literals.code ── pager, history ── content
//
// Each decision has one function that codes it both ways, so that the two sides
// cannot disagree.
//
// Files in reading order: encoder.go, parse.go (which steps), index.go and near.go (how bytes
// are found), decoder.go, model.go, literal.go, correct.go, rangecoder.go.
package coder
