package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/bin"
	"pakdb/internal/regular"
)

// isResponse reports whether a file is a response file: text that begins with a quote,
// as no archive does.
func isResponse(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(bytes.TrimSpace(bin.Text(head[:n])), []byte(`"`))
}

// packResponse writes the files that a response file lists.
func packResponse(ctx context.Context, a *cli.App, opts packOptions, file string) error {
	if opts.kind == "" && opts.like == "" {
		opts.kind = unrealpak.Format().Name
	}
	t, err := packTarget(ctx, a, opts, nil)
	if err != nil {
		return err
	}
	defer t.close()
	lines, err := responseLines(ctx, opts, t, file)
	if err != nil {
		return err
	}
	if t.options.Method == compress.None && slices.ContainsFunc(lines, func(l unrealpak.ResponseLine) bool { return l.Compress }) {
		t.options.Method = compress.Zlib
	}
	if slices.ContainsFunc(lines, func(l unrealpak.ResponseLine) bool { return l.Encrypt }) {
		t.options.Keys = a.Keys.Ring.Key
	}
	s, err := writeFiles(ctx, t, opts.out, lines, func(l unrealpak.ResponseLine) string { return l.Dest }, addLine)
	if err != nil {
		return err
	}
	if err := noteSubstitute(a, t.instead); err != nil {
		return err
	}
	return printPacked(a, t.format, opts.out, s)
}

// responseLines reads the response file: one line a file, in the order in which
// they are packed, destinations after the mount point.
func responseLines(ctx context.Context, opts packOptions, t *target, file string) ([]unrealpak.ResponseLine, error) {
	lines, err := parseFile(file, unrealpak.Parse)
	if err != nil {
		return nil, err
	}
	if lines, err = unrealpak.Expand(lines, filesAt(ctx, opts)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if t.options.MountPoint == "" {
		t.options.MountPoint = unrealpak.CommonMount(lines)
	}
	order, err := readOrder(opts.order)
	if err != nil {
		return nil, err
	}
	unrealpak.Arrange(lines, order)
	if err := unrealpak.MakeRelative(lines, t.options.MountPoint); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return lines, nil
}

// filesAt lists what Expand asks for; the archive that is written is not there.
func filesAt(ctx context.Context, opts packOptions) func(name string) ([]string, error) {
	return func(name string) ([]string, error) {
		dir := filepath.FromSlash(name)
		st, err := os.Stat(dir)
		if err != nil {
			return nil, cli.WithHint(err, operand.NearestFile(dir))
		}
		if !st.IsDir() {
			return []string{"."}, nil
		}
		files, err := filesBelow(ctx, dir, opts.out, regular.Shipping(opts.outside))
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		return names, err
	}
}
