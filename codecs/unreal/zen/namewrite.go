package zen

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf16"

	"pakdb/codecs/unreal"
)

// nameHash in a name batch says which hash follows: CityHash64 of the
// lower-cased name, in 8-bit characters where it has no others (every name of
// 97 packages of UE 5.8.1).
const nameHash = 0xc1640000

// nameTable collects the names of a chunk, each once.
type nameTable struct {
	names []string
	index map[string]uint32
}

// mapped returns the FMappedName of a rendered name: the engine keeps a number
// at the end apart.
func (t *nameTable) mapped(name string) uint64 {
	text, number := cutNumber(name)
	i, known := t.index[text]
	if !known {
		if t.index == nil {
			t.index = map[string]uint32{}
		}
		i = uint32(len(t.names))
		t.index[text] = i
		t.names = append(t.names, text)
	}
	return uint64(i) | uint64(number)<<32
}

// cutNumber parts "A_12" into "A" and 13; 0 is no number. One with leading
// zeros belongs to the text.
func cutNumber(name string) (text string, number uint32) {
	i := strings.LastIndexByte(name, '_')
	if i <= 0 {
		return name, 0
	}
	n, err := strconv.ParseUint(name[i+1:], 10, 31)
	if err != nil || strconv.FormatUint(n, 10) != name[i+1:] || n == 1<<31-1 {
		return name, 0
	}
	return name[:i], uint32(n) + 1
}

// append appends the name batch.
func (t *nameTable) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.names)))
	if len(t.names) == 0 {
		return b
	}
	var hashes, headers, texts []byte
	for _, name := range t.names {
		header, text, hash := storedName(name)
		hashes = binary.LittleEndian.AppendUint64(hashes, hash)
		headers = binary.BigEndian.AppendUint16(headers, header)
		texts = append(texts, text...)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(texts)))
	b = binary.LittleEndian.AppendUint64(b, nameHash)
	return append(append(append(b, hashes...), headers...), texts...)
}

// storedName is a name as a batch has it. UTF-16 is not aligned: readers tell by
// the number of bytes.
func storedName(name string) (header uint16, text []byte, hash uint64) {
	if strings.IndexFunc(name, func(r rune) bool { return r > 0x7f }) < 0 {
		return uint16(len(name)), []byte(name), unreal.CityHash64([]byte(strings.ToLower(name)))
	}
	units := utf16.Encode([]rune(name))
	for _, u := range units {
		text = binary.LittleEndian.AppendUint16(text, u)
	}
	return unreal.WideName | uint16(len(units)), text, unreal.NameHash(name)
}
