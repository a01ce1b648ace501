package archive

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"path"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/unreal/media"
	"pakdb/internal/picture"
	"pakdb/internal/regular"
	"pakdb/internal/safename"
)

// isPicture reports whether an entry is a file that is a picture: .dds, .tga, TXTR.
func isPicture(e *codecs.Entry) bool { return media.FileKind(e.Name, e.Type) != "" }

// writePNG writes a picture in a file of a kind as PNG. The largest mip and the first slice
// are shown where which does not say.
func writePNG(w io.Writer, kind string, body []byte, which *mediaOptions) error {
	out, err := filePicture(kind, body, which)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(w, out)
}

func filePicture(kind string, body []byte, which *mediaOptions) (image.Image, error) {
	p, err := media.ReadFile(kind, body)
	if err != nil {
		return nil, err
	}
	if which.side == 0 {
		return p.Decode(max(which.mip, 0), max(which.slice, 0))
	}
	out, err := p.Small(which.side)
	if err != nil {
		return nil, err
	}
	return picture.Small(out, which.side), nil
}

// notPNG is the error of other forms of pictures.
func notPNG(form string) error {
	return cli.WithHint(fmt.Errorf("%w: the file is a picture, and has no form %q", errors.ErrUnsupported, form), "--as png writes it")
}

// catPicture writes an entry that is a picture.
func catPicture(ctx context.Context, w io.Writer, ar *operand.Archive, e *codecs.Entry, as *asOptions) error {
	if as.form != "png" {
		return notPNG(as.form)
	}
	body, err := pictureBytes(ctx, ar, e)
	if err != nil {
		return err
	}
	return writePNG(w, media.FileKind(e.Name, e.Type), body, &as.media)
}

func pictureBytes(ctx context.Context, ar *operand.Archive, e *codecs.Entry) ([]byte, error) {
	if e.Size > maxExport {
		return nil, codecs.Errorf(codecs.ErrLimit, "a picture of %d bytes", e.Size)
	}
	return readEntry(ctx, ar, e)
}

// catPictureFile writes a file that is a picture. It returns false for other files.
func catPictureFile(ctx context.Context, a *cli.App, name, out string, as *asOptions) (ok bool, err error) {
	kind := media.FileKind(name, "")
	if kind == "" {
		return false, nil
	}
	if as.form != "png" {
		return true, notPNG(as.form)
	}
	f, err := regular.Open(name)
	if err != nil {
		return true, err
	}
	defer func() { _ = f.Close() }()
	body, err := io.ReadAll(io.LimitReader(f, maxExport))
	if err != nil {
		return true, err
	}
	write := func(w io.Writer) error { return cli.OfFile(writePNG(w, kind, body, &as.media), name, "") }
	if out == "" {
		return true, write(a.Stdout)
	}
	return true, toFile(ctx, out, time.Time{}, write)
}

// writePicture writes an entry that is a picture. Only what concerns the folder is returned.
func (x *mediaExtraction) writePicture(ctx context.Context, dir *safename.Dir, ar *operand.Archive, j *job) error {
	fail := func(err error) error {
		j.err = fmt.Errorf("%s: %s: %w", ar.Path, cli.Label(j.entry), err)
		return nil
	}
	body, err := pictureBytes(ctx, ar, j.entry)
	if err != nil {
		return fail(err)
	}
	out, err := filePicture(media.FileKind(j.entry.Name, j.entry.Type), body, x.which)
	if err != nil {
		return fail(err)
	}
	f, err := dir.Create(strings.TrimSuffix(j.out, path.Ext(j.out)) + ".png")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&counting{f, &x.bytes}, out); err != nil {
		return err
	}
	x.files.Add(1)
	return f.Commit(j.entry.Mod)
}
