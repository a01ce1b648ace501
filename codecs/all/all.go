// Package all lists the formats that pakdb knows. It is the only place where
// they meet; adding a format is adding a line here.
package all

import (
	"context"

	"pakdb/codecs"
	"pakdb/codecs/gpak"
	"pakdb/codecs/internal/calligraphy"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/textfile"
	"pakdb/codecs/iostore"
	"pakdb/codecs/quakepak"
	"pakdb/codecs/retropak"
	"pakdb/codecs/umod"
	"pakdb/codecs/unreal/rows"
	"pakdb/codecs/unreal/zen"
	"pakdb/codecs/unrealpak"
)

// Registry returns every format, the fallback last.
func Registry() *codecs.Registry {
	return &codecs.Registry{
		Formats: []*codecs.Format{
			gpak.Format(),
			retropak.Format(),
			quakepak.Format(),
			unrealpak.Format(),
			umod.Format(),
			umod.UzFormat(),
			iostore.Format(),
			codecs.Loose(),
		},
		Inspectors: []*codecs.Inspector{
			calligraphy.Inspector(),
			retropak.Inspector(),
			zen.Inspector(),
			textfile.LocresInspector(),
			textfile.RegistryInspector(),
			textfile.ConfigInspector(),
			textfile.DescriptorInspector(),
			pkg.Inspector(),
			textfile.HeadsInspector(),
			textfile.Inspector(),
		},
		Values: rows.Reader(),
	}
}

// OpenFile opens the archive at path, in whichever format its bytes are: see
// [codecs.OpenFile]. o has limits and keys; nil means none. The caller closes it.
func OpenFile(ctx context.Context, path string, o *codecs.Options) (*codecs.File, error) {
	return codecs.OpenFile(ctx, path, Registry(), o)
}
