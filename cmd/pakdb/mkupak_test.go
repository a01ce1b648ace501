package main

import (
	"crypto/sha1"
	"encoding/binary"
	"os"
	"strconv"
	"strings"
)

// mkupak writes an Unreal pak of version 6 with any names, also such as no
// honest writer takes:
//
//	mkupak FILE MOUNT NAME=CONTENT...   a name in double quotes is a Go string
//	                                    -NAME is a delete record
func mkupak(file string, args []string) error {
	mount, args := args[0], args[1:]
	le := binary.LittleEndian
	fstring := func(b []byte, s string) []byte {
		return append(append(le.AppendUint32(b, uint32(len(s)+1)), s...), 0)
	}
	record := func(b []byte, offset int64, content string, flags byte) []byte {
		sum := sha1.Sum([]byte(content))
		if flags != 0 {
			sum = [20]byte{}
		}
		b = le.AppendUint64(b, uint64(offset))
		b = le.AppendUint64(b, uint64(len(content)))
		b = le.AppendUint64(b, uint64(len(content)))
		b = append(le.AppendUint32(b, 0), sum[:]...)
		return le.AppendUint32(append(b, flags), 0)
	}
	var data []byte
	index := le.AppendUint32(fstring(nil, mount), uint32(len(args)))
	for _, arg := range args {
		name, content, _ := strings.Cut(arg, "=")
		if strings.HasPrefix(name, `"`) {
			var err error
			if name, err = strconv.Unquote(name); err != nil {
				return err
			}
		}
		if rest, ok := strings.CutPrefix(name, "-"); ok {
			index = record(fstring(index, rest), -1, "", 2)
			continue
		}
		index = record(fstring(index, name), int64(len(data)), content, 0)
		data = append(record(data, 0, content, 0), content...)
	}
	sum := sha1.Sum(index)
	footer := le.AppendUint32([]byte{0}, 0x5A6F12E1)
	footer = le.AppendUint32(footer, 6)
	footer = le.AppendUint64(footer, uint64(len(data)))
	footer = le.AppendUint64(footer, uint64(len(index)))
	return os.WriteFile(file, append(append(append(data, index...), footer...), sum[:]...), 0o600)
}
