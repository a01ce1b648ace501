package page

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"

	"pakdb/diff/semantic"
)

// picturesOf returns those of textures and sounds: the name, what is said of it, the pictures
// before, after and of the difference, as addresses (null for none), and whether they are of
// samples.
func picturesOf(list []*semantic.Pictures) (all [][]any) {
	for _, p := range list {
		all = append(all, []any{p.Object, p.Text, address(p.Old), address(p.New), address(p.Difference), p.Wave})
	}
	return all
}

// address returns a picture as an address that holds it.
func address(i image.Image) any {
	if i == nil {
		return nil
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if encoder.Encode(&b, i) != nil {
		return nil
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}
