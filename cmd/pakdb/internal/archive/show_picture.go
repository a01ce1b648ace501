package archive

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"os"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/picture"
	"pakdb/internal/terminal"
)

// shownSide bounds the sides of a picture on a terminal.
const shownSide = 320

// picture returns the picture of what is shown, if the terminal shows pictures: nil for none,
// and for what has none that can be decoded.
func (o *showOptions) picture(ctx context.Context, a *cli.App, args []string) image.Image {
	if o.format == "json" || o.code || !terminal.Is(a.Stdout) || picture.Of(os.Getenv) == picture.None {
		return nil
	}
	var b bytes.Buffer
	quiet := cli.New(a.Stdin, &b, io.Discard, a.Registry)
	quiet.Catalog, quiet.Quiet, quiet.Keys, quiet.Mappings, quiet.Engine = a.Catalog, true, a.Keys, a.Mappings, a.Engine
	err := runCat(ctx, quiet, catOptions{as: asOptions{form: "png", values: o.values, media: mediaOptions{mip: -1, slice: 0, side: shownSide}}}, args)
	if err != nil {
		return nil
	}
	small, err := png.Decode(&b)
	if err != nil {
		return nil
	}
	if out, ok := a.Stdout.(interface{ Unpaged() bool }); ok && !out.Unpaged() {
		return nil
	}
	return small
}
