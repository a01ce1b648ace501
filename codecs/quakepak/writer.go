package quakepak

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
)

type writer struct {
	out   io.WriteSeeker
	at    int64  // where the next content goes
	table []byte // the directory so far
}

func create(out io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
	if o == nil {
		o = &codecs.CreateOptions{}
	}
	if err := Format().CheckOptions(o); err != nil {
		return nil, err
	}
	switch {
	case o.Version != "" && o.Version != magic:
		return nil, refuse("", "version", errors.ErrUnsupported, "%q", o.Version)
	case o.Method.String() != compress.None.String():
		return nil, refuse("", string(codecs.OptionMethod), codecs.ErrOption, "%s; entries are stored", o.Method)
	case o.Keys != nil:
		return nil, refuse("", "keys", errors.ErrUnsupported, "a pak is never encrypted")
	}
	_, err := out.Write(make([]byte, headerSize)) // Close fills it in
	return &writer{out: out, at: headerSize}, err
}

func refuse(entry, field string, class error, format string, args ...any) error {
	return failure("", entry, field, -1, codecs.Errorf(class, format, args...))
}

// Add stores the content of r.
func (w *writer) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	name, err := latin1.Encode(e.Name)
	switch {
	case err != nil:
		return failure("", e.Name, "name", -1, err)
	case len(name) >= nameSize || strings.Contains(e.Name, "\x00"):
		return refuse(e.Name, "name", codecs.ErrName, "%d bytes; at most %d without a NUL", len(name), nameSize-1)
	case e.Flags != 0:
		return refuse(e.Name, "flags", errors.ErrUnsupported, "%d", e.Flags)
	}
	n, err := io.Copy(w.out, codecs.ContextReader(ctx, r))
	if err != nil {
		return failure("", e.Name, "data", -1, err)
	}
	if w.at+n > math.MaxInt32 { // the engine reads offsets as signed numbers
		return refuse(e.Name, "size", codecs.ErrLimit, "%d bytes after %d; a pak has at most 2 GiB", n, w.at)
	}
	w.table = append(append(w.table, name...), make([]byte, nameSize-len(name))...)
	w.table = binary.LittleEndian.AppendUint32(w.table, uint32(w.at))
	w.table = binary.LittleEndian.AppendUint32(w.table, uint32(n))
	w.at += n
	return nil
}

// AddRaw is Add: contents are stored as they are.
func (w *writer) AddRaw(ctx context.Context, e *codecs.Entry, stored io.Reader) error {
	if e.Method != compress.None {
		return refuse(e.Name, "method", errors.ErrUnsupported, "%s", e.Method)
	}
	return w.Add(ctx, e, stored)
}

// Close writes the directory, and then the header, which says where it is.
func (w *writer) Close() error {
	if _, err := w.out.Write(w.table); err != nil {
		return err
	}
	if _, err := w.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32([]byte(magic), uint32(w.at))
	_, err := w.out.Write(binary.LittleEndian.AppendUint32(head, uint32(len(w.table))))
	return err
}
