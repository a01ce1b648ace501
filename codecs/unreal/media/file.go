package media

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"path"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"pakdb/codecs"
)

// pictureFormat reads a kind of pictures that people keep as files.
type pictureFormat struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// formatOf returns the format of pictures of an extension; textures of games are recognised by
// FileKind.
func formatOf(name string) (f pictureFormat, ok bool) {
	f, ok = map[string]pictureFormat{
		".png": {png.DecodeConfig, png.Decode}, ".jpg": {jpeg.DecodeConfig, jpeg.Decode}, ".jpeg": {jpeg.DecodeConfig, jpeg.Decode},
		".bmp": {bmp.DecodeConfig, bmp.Decode}, ".webp": {webp.DecodeConfig, webp.Decode},
	}[strings.ToLower(path.Ext(name))]
	return f, ok
}

// IsPicture reports whether a file is a picture by its name and type.
func IsPicture(name, typ string) bool {
	_, ok := formatOf(name)
	return ok || FileKind(name, typ) != ""
}

// mostPixels bounds pictures that are decoded.
const mostPixels = 64 << 20

// Picture decodes a file that is a picture; of textures of games the mip that is enough for
// a side.
func Picture(name, typ string, content []byte, side int) (image.Image, error) {
	format, ok := formatOf(name)
	if !ok {
		p, err := ReadFile(FileKind(name, typ), content)
		if err != nil {
			return nil, err
		}
		return p.Small(side)
	}
	size, err := format.config(bytes.NewReader(content))
	if err != nil {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "it is no picture of its kind: %v", err)
	}
	if int64(size.Width)*int64(size.Height) > mostPixels {
		return nil, codecs.Errorf(codecs.ErrLimit, "a picture of %d x %d", size.Width, size.Height)
	}
	return format.decode(bytes.NewReader(content))
}
