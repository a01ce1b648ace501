// Command calligraphy makes Calligraphy archives for benchmarks of comparisons.
//
//	go run ./testdata/gen/calligraphy -entries 25619 1.sip # a build of prototypes and their directory
//	go run ./testdata/gen/calligraphy -entries 94778 -build 2 -changed all 2.sip # the next one: all, none or P% contents differ
//	go run ./testdata/gen/calligraphy OLD.sip NEW.sip # a later build of an archive of version 10
//
// The later build has three contents of ten edited, three names of a hundred in another
// folder, and 69,159 edited copies. The directories list all of it, up to their 65,535
// records.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
	"pakdb/testdata/gen/fixture"
)

const added = 69_159

func main() {
	entries := flag.Int("entries", 0, "write a build of so many entries, without an older archive")
	build := flag.Int("build", 1, "which build of the game, from 1")
	changed := flag.String("changed", "all", "contents that differ from one build to the next: all, none or P%")
	flag.Parse()
	if err := run(*entries, *build, *changed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "calligraphy:", err)
		os.Exit(1)
	}
}

func run(entries, build int, changed string, files []string) error {
	switch {
	case entries == 0 && len(files) == 2:
		return next(files[0], files[1])
	case entries == 0 || len(files) != 1:
		return errors.New("usage: calligraphy OLD.sip NEW.sip, or calligraphy -entries N [-build B] [-changed all|none|P%] NEW.sip")
	}
	percent, err := percentOf(changed)
	if err != nil {
		return err
	}
	f, err := os.Create(files[0])
	if err != nil {
		return err
	}
	return errors.Join(fixture.Calligraphy(f, entries, build, percent), f.Close())
}

// percentOf returns how many of a hundred contents change.
func percentOf(changed string) (int, error) {
	switch changed {
	case "all":
		return 100, nil
	case "none":
		return 0, nil
	}
	number, ok := strings.CutSuffix(changed, "%")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0, fmt.Errorf("-changed %q: want all, none or P%%", changed)
	}
	return n, nil
}

// file is an entry with its content.
type file struct {
	entry  codecs.Entry
	data   []byte
	stored []byte // of the old build, where the content is the same
}

// next writes a later build of an archive.
func next(from, to string) error {
	ctx := context.Background()
	files, err := read(ctx, from)
	if err != nil {
		return err
	}
	later, moved, copies := edit(files)
	for i := range later {
		if strings.HasSuffix(later[i].entry.Name, ".directory") {
			later[i].data, later[i].stored = directory(later[i].data, later[i].entry.Name, moved, copies), nil
		}
	}
	o := codecs.CreateOptions{Version: "kapg", Method: compress.LZ4}
	return codecs.WriteFile(ctx, to, gpak.Format(), &o, func(w codecs.Writer) error {
		for i := range later {
			e, add, data := later[i].entry, w.AddRaw, later[i].stored
			if data == nil {
				e, add, data = codecs.Entry{Name: e.Name, Mod: e.Mod}, w.Add, later[i].data
			}
			if err := add(ctx, &e, bytes.NewReader(data)); err != nil {
				return err
			}
		}
		return nil
	})
}

func read(ctx context.Context, name string) ([]file, error) {
	f, err := codecs.OpenFile(ctx, name, all.Registry(), &codecs.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var files []file
	for e, err := range f.Entries() {
		if err != nil {
			return nil, err
		}
		r, err := f.Open(ctx, e)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		_ = r.Close()
		raw, err := f.OpenRaw(e)
		if err != nil {
			return nil, err
		}
		stored, err := io.ReadAll(raw)
		if err != nil {
			return nil, err
		}
		files = append(files, file{*e, data, stored})
	}
	return files, nil
}

// edit returns the files of the later build, the new names of moved ones, and the copies
// of each file, all by old name.
func edit(files []file) (later []file, moved map[string]string, copies map[string][]string) {
	moved, copies = map[string]string{}, map[string][]string{}
	var originals []file
	for i := range files {
		if at := editable(files[i]); at > 0 {
			originals = append(originals, files[i])
		}
	}
	for i := range files {
		f := files[i]
		if i%10 < 3 {
			f.change(1)
		}
		if i%100 == 50 || i%100 == 60 || i%100 == 1 {
			if !strings.HasSuffix(f.entry.Name, ".directory") {
				name := path.Join(path.Dir(f.entry.Name), "Moved", path.Base(f.entry.Name))
				moved[f.entry.Name], f.entry.Name = name, name
			}
		}
		later = append(later, f)
	}
	for i := range added {
		f := originals[i%len(originals)]
		round := i/len(originals) + 2
		ext := path.Ext(f.entry.Name)
		name := fmt.Sprintf("%s_v%d%s", strings.TrimSuffix(f.entry.Name, ext), round, ext)
		copies[f.entry.Name] = append(copies[f.entry.Name], name)
		f.change(uint64(round))
		f.entry.Name = name
		later = append(later, f)
	}
	return later, moved, copies
}

// editable returns where a content has a number that may be any other, 0 for nowhere.
func editable(f file) int {
	switch path.Ext(f.entry.Name) {
	case ".curve":
		if len(f.data) >= 20 {
			return len(f.data) - 8
		}
	case ".prototype", ".defaults":
		return firstValue(f.data)
	}
	return 0
}

// firstValue returns where the first plain value of a prototype is, 0 if it has none.
func firstValue(b []byte) int {
	at := 5
	if len(b) < 40 || b[4]&2 == 0 {
		return 0
	}
	if b[4]&1 != 0 {
		at += 8
	}
	groups, fields := binary.LittleEndian.Uint16(b[at:]), binary.LittleEndian.Uint16(b[at+11:])
	at += 13 + 8
	if groups == 0 || fields == 0 || at+9 > len(b) || strings.IndexByte("DL", b[at]) < 0 {
		return 0
	}
	return at + 1
}

// change edits the content, if it has a number that may be any other.
func (f *file) change(by uint64) {
	at := editable(*f)
	if at == 0 {
		return
	}
	f.data, f.stored = bytes.Clone(f.data), nil
	binary.LittleEndian.PutUint64(f.data[at:], binary.LittleEndian.Uint64(f.data[at:])^by<<8)
}

// directory returns a directory with the paths of moved files, and with a record for each
// copy of one.
func directory(b []byte, name string, moved map[string]string, copies map[string][]string) []byte {
	fixed := 17
	switch path.Base(name) {
	case "Prototype.directory":
		fixed = 25
	case "Replacement.directory":
		return b
	}
	out := bytes.Clone(b[:6])
	records := 0
	var more []byte
	room := 65_535 - int(binary.LittleEndian.Uint16(b[4:]))
	for at := 6; at < len(b); records++ {
		n := int(binary.LittleEndian.Uint16(b[at+fixed:]))
		head := b[at : at+fixed]
		stored := "Calligraphy/" + strings.ReplaceAll(string(b[at+fixed+2:at+fixed+2+n]), `\`, "/")
		at += fixed + 2 + n
		for i, c := range copies[stored] {
			if room == 0 {
				break
			}
			room--
			h := bytes.Clone(head)
			for _, id := range []int{0, 8} {
				binary.LittleEndian.PutUint64(h[id:], binary.LittleEndian.Uint64(h[id:])+uint64(i+1)<<40)
			}
			more = record(more, h, c)
			records++
		}
		if to := moved[stored]; to != "" {
			stored = to
		}
		out = record(out, head, stored)
	}
	out = append(out, more...)
	binary.LittleEndian.PutUint16(out[4:], uint16(records))
	return out
}

func record(b, head []byte, name string) []byte {
	name = strings.ReplaceAll(strings.TrimPrefix(name, "Calligraphy/"), "/", `\`)
	b = append(b, head...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(name)))
	return append(b, name...)
}
