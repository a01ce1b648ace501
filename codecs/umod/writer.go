package umod

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/latin1"
	"pakdb/codecs/unreal"
)

type writer struct {
	out       io.Writer // the file and the checksum
	file      io.Writer
	crc       *crcSum
	at        int64
	count     int32
	directory []byte // entries, without their count
}

func create(w io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
	if o == nil {
		o = &codecs.CreateOptions{}
	}
	if err := Format().CheckOptions(o); err != nil {
		return nil, err
	}
	switch {
	case o.Version != "" && o.Version != "1":
		return nil, failed("", "version", unsupported("version %q", o.Version))
	case o.Method.String() != compress.None.String():
		return nil, failed("", string(codecs.OptionMethod), codecs.Errorf(codecs.ErrOption, "%s; entries are stored", o.Method))
	case o.Keys != nil:
		return nil, failed("", "keys", unsupported("a umod is never encrypted"))
	}
	crc := newCRC()
	return &writer{out: io.MultiWriter(w, crc), file: w, crc: crc}, nil
}

// Add stores the content of r under e's name. Names that end in Manifest.ini
// or Manifest.int are marked as the manifest.
func (w *writer) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	name, err := storedName(e.Name)
	if err != nil {
		return failed(e.Name, "name", err)
	}
	if e.Flags != 0 {
		return failed(e.Name, "flags", unsupported("flags %d", e.Flags))
	}
	n, err := io.Copy(w.out, codecs.ContextReader(ctx, r))
	if err != nil {
		return failed(e.Name, "data", err)
	}
	if w.at+n > math.MaxUint32 || w.count == math.MaxInt32 {
		return failed(e.Name, "size", codecs.Errorf(codecs.ErrLimit, "offsets have 32 bits"))
	}
	flags := uint32(0)
	if isManifest(e.Name) {
		flags = flagManifest
	}
	d := unreal.AppendCompactIndex(w.directory, int32(len(name)))
	d = append(d, name...)
	for _, v := range []uint32{uint32(w.at), uint32(n), flags} {
		d = binary.LittleEndian.AppendUint32(d, v)
	}
	w.directory = d
	w.at += n
	w.count++
	return nil
}

// AddRaw is Add: data is stored as it is.
func (w *writer) AddRaw(ctx context.Context, e *codecs.Entry, stored io.Reader) error {
	if e.Method != compress.None {
		return failed(e.Name, "method", unsupported("method %s", e.Method))
	}
	return w.Add(ctx, e, stored)
}

// Close writes directory and trailer.
func (w *writer) Close() error {
	d := append(unreal.AppendCompactIndex(nil, w.count), w.directory...)
	size := w.at + int64(len(d)) + trailerSize
	if size > math.MaxUint32 {
		return failed("", "size", codecs.Errorf(codecs.ErrLimit, "%d bytes > 32 bits", size))
	}
	if _, err := w.out.Write(d); err != nil {
		return err
	}
	var t []byte
	for _, v := range []uint32{magic, uint32(w.at), uint32(size), version, w.crc.sum()} {
		t = binary.LittleEndian.AppendUint32(t, v)
	}
	_, err := w.file.Write(t)
	return err
}

// storedName encodes a name: Latin-1, backslashes, NUL.
func storedName(name string) ([]byte, error) {
	out, err := latin1.Encode(strings.ReplaceAll(name, "/", `\`))
	return append(out, 0), err
}

func failed(name, field string, err error) error {
	return &codecs.FormatError{Format: formatName, Entry: name, Field: field, Off: -1, Err: err}
}

func unsupported(format string, args ...any) error {
	return codecs.Errorf(errors.ErrUnsupported, format, args...)
}
