package diff

import "fmt"

// Text tells people what a way of transport fetches.
func (d *Download) Text() string {
	switch d.Way {
	case WayBuild:
		if d.Of == 1 {
			return "all of 1 file"
		}
		return fmt.Sprintf("all of %d files", d.Of)
	case WayFiles:
		return fmt.Sprintf("whole files: %d of %d", d.Parts, d.Of)
	case WayChunks:
		return fmt.Sprintf("a store of 1 MiB chunks: %d of %d, compressed", d.Parts, d.Of)
	case WayEntries:
		return fmt.Sprintf("a patch archive of whole entries: %d of %d", d.Parts, d.Of)
	}
	return "a transport patch (pakdb delta make)"
}
