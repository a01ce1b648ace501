// Package all lists the formats that pakdb knows. It is the only place where
// they meet; adding a format is adding a line here.
package all

import (
	"pakdb/codecs"
	"pakdb/codecs/assetregistry"
	"pakdb/codecs/calligraphy"
	"pakdb/codecs/config"
	"pakdb/codecs/descriptor"
	"pakdb/codecs/gpak"
	"pakdb/codecs/heads"
	"pakdb/codecs/iostore"
	"pakdb/codecs/locres"
	"pakdb/codecs/loose"
	"pakdb/codecs/property/rows"
	"pakdb/codecs/quakepak"
	"pakdb/codecs/retropak"
	"pakdb/codecs/textfile"
	"pakdb/codecs/umod"
	"pakdb/codecs/unrealpak"
	"pakdb/codecs/unrealpkg"
	"pakdb/codecs/uz"
	"pakdb/codecs/zenpkg"
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
			uz.Format(),
			iostore.Format(),
			loose.Format(),
		},
		Inspectors: []*codecs.Inspector{
			calligraphy.Inspector(),
			retropak.Inspector(),
			zenpkg.Inspector(),
			locres.Inspector(),
			assetregistry.Inspector(),
			config.Inspector(),
			descriptor.Inspector(),
			unrealpkg.Inspector(),
			heads.Inspector(),
			textfile.Inspector(),
		},
		Values: rows.Reader(),
	}
}
