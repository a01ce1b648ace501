package delta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"pakdb/internal/stored"
)

// Describe writes what a patch needs and makes, for people: with as much of each
// file's hash as the patch has.
func (h *Header) Describe(w io.Writer) error {
	var b strings.Builder
	for _, side := range []struct {
		name  string
		files []File
	}{{"needs", h.Old}, {"makes", h.New}} {
		width := 1
		for _, f := range side.files {
			width = max(width, len(f.Hash()))
		}
		for _, f := range side.files {
			fmt.Fprintf(&b, "%s  %-*s  %d  %s\n", side.name, width, cmp.Or(f.Hash(), "-"), f.Size, Printable(f.Name))
		}
	}
	for _, r := range h.Recipes {
		fmt.Fprintf(&b, "recipe %v\n", r)
	}
	for _, k := range h.Keys {
		fmt.Fprintf(&b, "AES    %v\n", k)
	}
	fmt.Fprintf(&b, "%d bytes, %s\nroot   %x\n", h.Length(), Count(len(h.Parts), "segment"), h.RootHash)
	_, err := io.WriteString(w, b.String())
	return err
}

// Count returns "1 file" or "2 files".
func Count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// Printable is a name without what commands terminals.
func Printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsGraphic(r) {
			return '?'
		}
		return r
	}, name)
}

// ReadFileHeader reads the header of a patch file.
func ReadFileHeader(name string) (*Header, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	h, _, err := ReadHeader(f, MaxHeader)
	if err != nil {
		err = Named(name, err)
	}
	return h, errors.Join(err, f.Close())
}

// VerifyFile checks every hash in a patch file.
func VerifyFile(ctx context.Context, name string) (*Header, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil {
		stored.Step(ctx, stepVerify, st.Size())
	}
	h, err := Verify(ctx, f)
	if err != nil {
		err = Named(name, err)
	}
	return h, errors.Join(err, f.Close())
}

// Named adds the name of the file to an error of reading it.
func Named(file string, err error) error { return &os.PathError{Op: "read", Path: file, Err: err} }
