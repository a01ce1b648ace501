package page

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"image"
	"image/png"
	"slices"

	"pakdb/diff/semantic"
)

// mostPictures bounds the textures and sounds that a page has pictures of: those that changed
// most.
const mostPictures = 40

// pictures are those of a page.
type pictures struct {
	list []placed
	more int // that are not shown
}

// placed are the pictures of a texture or sound in a row.
type placed struct {
	row int
	*semantic.Pictures
}

// AddPictures shows pictures in the row that is added next.
func (p *Data) AddPictures(list []*semantic.Pictures) {
	s := &p.shown
	for _, one := range list {
		s.list = append(s.list, placed{p.rows, one})
	}
	if len(s.list) <= mostPictures {
		return
	}
	slices.SortStableFunc(s.list, func(a, b placed) int { return cmp.Compare(b.Weight, a.Weight) })
	s.more += len(s.list) - mostPictures
	clear(s.list[mostPictures:])
	s.list = s.list[:mostPictures]
}

// byRow returns for each row with pictures what Picture returns of each.
func (s *pictures) byRow() map[int][][]any {
	all := map[int][][]any{}
	for _, p := range s.list {
		all[p.row] = append(all[p.row], Picture(p.Pictures))
	}
	return all
}

// Picture returns the pictures of a texture or sound, for JSON: its name, what is said of it,
// the pictures before, after and of the difference, as addresses (null for none), and whether
// they are of samples.
func Picture(p *semantic.Pictures) []any {
	return []any{p.Object, p.Text, address(p.Old), address(p.New), address(p.Difference), p.Wave}
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
