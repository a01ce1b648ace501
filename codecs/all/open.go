package all

import (
	"context"

	"pakdb/codecs"
)

// OpenFile opens the archive at path, in whichever format its bytes are: see
// [codecs.OpenFile]. o has limits and keys; nil means none. The caller closes it.
func OpenFile(ctx context.Context, path string, o *codecs.Options) (*codecs.File, error) {
	return codecs.OpenFile(ctx, path, Registry(), o)
}
