package unrealpak

import (
	"errors"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// custom is the method of versions below 8 that the game defines: Oodle in
// most, LZ4 in Sea of Thieves.
const custom compress.Method = "custom"

// Methods of versions below 8: a mask, in which 0x10 and 0x20 only say whether
// the packer preferred size or speed.
const (
	maskZlib   = 1
	maskGzip   = 2
	maskCustom = 4
	maskBias   = 0x30
)

// methodOf resolves the method field of a record.
func (f *footer) methodOf(field uint32) (compress.Method, error) {
	if field == 0 {
		return compress.None, nil
	}
	if f.version < fnameCompressionA {
		switch field &^ maskBias {
		case maskZlib:
			return compress.Zlib, nil
		case maskGzip:
			return compress.Gzip, nil
		case maskCustom:
			return custom, nil
		}
		return "", codecs.Errorf(errors.ErrUnsupported, "compression flags 0x%x", field)
	}
	if int64(field) > int64(len(f.slots)) || f.slots[field-1] == "" {
		return "", codecs.Errorf(codecs.ErrCorrupt, "number %d, but the footer names %s", field, slotList(f.slots))
	}
	return f.methods[field-1], nil
}

func slotList(slots []string) string {
	return fmt.Sprintf("%d methods: %s", len(slots), strings.Join(slots, " "))
}

// methodNamed is the method of a name in the footer, which games spell in
// upper and lower case. A name that pakdb does not know is carried as it is.
func methodNamed(name string) compress.Method {
	m := compress.Method(strings.ToLower(name))
	switch m {
	case compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd, compress.Oodle:
		return m
	}
	return compress.Method(name)
}

// slotName is the name that the engine gives a method.
func slotName(m compress.Method) string {
	switch m {
	case compress.Zlib:
		return "Zlib"
	case compress.Gzip:
		return "Gzip"
	case compress.LZ4:
		return "LZ4"
	case compress.Zstd:
		return "Zstd"
	case compress.Oodle:
		return "Oodle"
	}
	return string(m)
}

// resolveCustom tells what a custom block is. Oodle blocks start with 0x8C, or
// 0xCC when stored; decoding to exactly the declared size confirms the guess.
func resolveCustom(m compress.Method, block []byte) compress.Method {
	if m != custom {
		return m
	}
	if len(block) > 0 && (block[0] == 0x8C || block[0] == 0xCC) {
		return compress.Oodle
	}
	return compress.LZ4
}
