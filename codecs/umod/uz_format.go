package umod

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

//go:embed UZ.md
var uzSpec string

const (
	uzFormatName = "uz2"
	blockHead    = 8
	maxBlock     = 0x8000            // decoded
	maxStored    = maxBlock + 0x1000 // zlib adds five bytes to 16 KiB at worst
	oldPlain     = 1234              // .uz
	oldTwice     = 5678              // .uz, run lengths coded twice
	oldHead      = 4 + 5 + 256       // signature, length, longest name
)

// UzFormat returns the format of .uz2 and .uz files.
func UzFormat() *codecs.Format {
	return &codecs.Format{
		Name:     uzFormatName,
		Doc:      "compressed file of an Unreal redirect server (.uz2, .uz)",
		Spec:     uzSpec,
		Exts:     []string{".uz2", ".uz"},
		Versions: []string{"uz2"},
		Methods:  []compress.Method{compress.Zlib},
		Options:  func(string) []codecs.Option { return []codecs.Option{codecs.OptionMethod} },
		Revision: 1,

		NamedByFile: true,

		Probe:   uzProbe,
		Open:    uzOpen,
		Explain: uzExplain,
		Create:  uzCreate,
	}
}

func uzProbe(src codecs.Source) (codecs.Match, error) {
	switch _, err := readOld(src); {
	case err == nil:
		return codecs.MagicMatch, nil
	case unreadable(err):
		return codecs.NoMatch, err
	}
	ok, err := startsBlock(src)
	if err != nil || !ok {
		return codecs.NoMatch, err
	}
	var o *codecs.Options
	if _, err := walk(context.Background(), src, o.WithDefaults().Limits.Table); err != nil {
		return codecs.NoMatch, ignoreFormat(err)
	}
	return codecs.MagicMatch, nil
}

// uzExplain reports where the chain of blocks breaks in a file that is named as one.
func uzExplain(src codecs.Source) *codecs.FormatError {
	_, uz2 := unreal.CutSuffixFold(src.Name, ".uz2")
	_, uz := unreal.CutSuffixFold(src.Name, ".uz")
	fe := &codecs.FormatError{Format: uzFormatName, File: src.Name, Field: "block", Off: -1}
	var err error
	switch {
	case !uz2 && !uz:
		return nil
	case uz:
		fe.Field, fe.Off = "signature", 0
		_, err = readOld(src)
		if errors.Is(err, codecs.ErrUnknown) {
			err = codecs.Errorf(codecs.ErrCorrupt, "%v", err)
		}
	case src.Size == 0:
		err = codecs.Errorf(codecs.ErrTruncated, "the file is empty")
	default:
		var o *codecs.Options
		_, err = walk(context.Background(), src, o.WithDefaults().Limits.Table)
	}
	if err == nil {
		err = codecs.Errorf(codecs.ErrCorrupt, "the first one does not decode")
	}
	fe.Err, fe.Off = codecs.Classify(err, fe.Off)
	return fe
}

// unreadable reports an error of the disk, not of the format.
func unreadable(err error) bool {
	for _, format := range []error{bin.ErrShort, bin.ErrLimit, unreal.ErrIndex, codecs.ErrCorrupt, codecs.ErrUnknown} {
		if errors.Is(err, format) {
			return false
		}
	}
	return true
}

// startsBlock reports whether the file starts with a block that decodes.
func startsBlock(src codecs.Source) (bool, error) {
	if src.Size < blockHead+2 {
		return false, nil
	}
	b, err := blockAt(src, 0)
	if err != nil {
		return false, ignoreFormat(err)
	}
	stored, err := bin.Section(src, b.Offset, b.Stored, src.Size, maxStored)
	if err != nil {
		return false, ignoreFormat(err)
	}
	if len(stored) < 2 || stored[0]&0x0F != 8 || binary.BigEndian.Uint16(stored)%31 != 0 {
		return false, nil
	}
	return compress.Decode(compress.Zlib, make([]byte, b.Size), stored) == nil, nil
}

func ignoreFormat(err error) error {
	if unreadable(err) {
		return err
	}
	return nil
}

// blockAt reads the sizes of the block whose header is at off.
func blockAt(src codecs.Source, off int64) (codecs.Block, error) {
	var head [blockHead]byte
	if err := bin.Range(off, blockHead, src.Size); err != nil {
		return codecs.Block{}, err
	}
	if err := bin.Fill(src, head[:], off); err != nil {
		return codecs.Block{}, err
	}
	b := codecs.Block{
		Offset: off + blockHead,
		Stored: int64(binary.LittleEndian.Uint32(head[:])),
		Size:   int64(binary.LittleEndian.Uint32(head[4:])),
	}
	if b.Stored == 0 || b.Stored > maxStored || b.Size == 0 || b.Size > maxBlock {
		return b, codecs.Errorf(codecs.ErrCorrupt, "block of %d bytes, %d stored", b.Size, b.Stored)
	}
	return b, bin.Range(b.Offset, b.Stored, src.Size)
}

// bytesPerBlock is what a block costs in memory.
const bytesPerBlock = 24

// walk follows the chain of blocks to the end of the file. What it read before
// an error is returned with it.
func walk(ctx context.Context, src codecs.Source, limit int64) (blocks []codecs.Block, err error) {
	for off := int64(0); off < src.Size; {
		if len(blocks)%1024 == 0 && ctx.Err() != nil {
			return blocks, ctx.Err()
		}
		b, err := blockAt(src, off)
		if err != nil {
			return blocks, err
		}
		if int64(len(blocks)+1)*bytesPerBlock > limit {
			return blocks, &bin.Error{Off: off, Need: int64(len(blocks)+1) * bytesPerBlock, Have: limit, Err: bin.ErrLimit}
		}
		blocks = append(blocks, b)
		off = b.Offset + b.Stored
	}
	return blocks, nil
}

// readOld returns the original name in a .uz.
func readOld(src codecs.Source) (name string, err error) {
	buf, err := bin.Section(src, 0, min(src.Size, oldHead), src.Size, oldHead)
	if err != nil {
		return "", err
	}
	r := bin.NewReader(buf, 0, binary.LittleEndian)
	if s := r.U32(); s != oldPlain && s != oldTwice {
		return "", fmt.Errorf("%w: signature %d", codecs.ErrUnknown, s)
	}
	raw := r.Bytes(int(unreal.CompactIndex(r)))
	if r.Err() != nil {
		return "", r.Err()
	}
	if len(raw) < 2 || raw[len(raw)-1] != 0 || !printable(raw[:len(raw)-1]) {
		return "", codecs.Errorf(codecs.ErrUnknown, "no name follows the signature")
	}
	return string(raw[:len(raw)-1]), nil
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c >= 0x7F || c == '\\' {
			return false
		}
	}
	return true
}
