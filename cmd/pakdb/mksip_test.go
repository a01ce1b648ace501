package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"pakdb/codecs/compress"
)

// mksip writes a KAPG of any names, also of those that no honest writer takes:
//
//	mksip FILE NAME=CONTENT...   a name in double quotes is a Go string
//	mksip FILE -n COUNT          so many entries, dir/000000.bin and so on
func mksip(file string, args []string) error {
	var names []string
	var contents [][]byte
	add := func(name, content string) {
		names, contents = append(names, name), append(contents, []byte(content))
	}
	if len(args) == 2 && args[0] == "-n" {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		for i := range n {
			add(fmt.Sprintf("dir%03d/%06d.bin", i/1000, i), strings.Repeat(fmt.Sprintf("entry %d ", i), 1+i%50))
		}
		return os.WriteFile(file, kapgOf(names, contents), 0o600)
	}
	for _, arg := range args {
		i := strings.LastIndexByte(arg, '=')
		name := arg[:i]
		if strings.HasPrefix(name, `"`) {
			var err error
			if name, err = strconv.Unquote(name); err != nil {
				return err
			}
		}
		add(name, arg[i+1:])
	}
	return os.WriteFile(file, kapgOf(names, contents), 0o600)
}

// kapgOf lays a KAPG out by hand, in the order given; the hashes are the
// ordinals.
func kapgOf(names []string, contents [][]byte) []byte {
	le := binary.LittleEndian
	table := le.AppendUint32(le.AppendUint32([]byte("KAPG"), 1), uint32(len(names)))
	var data []byte
	for i, name := range names {
		start := len(data)
		data, _ = compress.Encode(compress.LZ4, data, contents[i])
		table = le.AppendUint64(table, uint64(i))
		table = append(le.AppendUint32(table, uint32(len(name))), name...)
		for _, v := range []int{1717986918, start, len(data) - start, len(contents[i])} {
			table = le.AppendUint32(table, uint32(v))
		}
	}
	return append(table, data...)
}
