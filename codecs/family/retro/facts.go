// Package retro is the family of Retro Studios' games: the facts of their assets.
package retro

import (
	"pakdb/codecs"
	"pakdb/codecs/family"
)

// Asset is the space of the asset ids of Retro Studios' games. An entry stands for
// its own [codecs.Entry.ID] there, so inspectors define no symbols: the same
// content may be stored under several ids.
const Asset codecs.Space = "retro-asset"

// Facts is the [codecs.Facts.Detail] of an asset of Retro Studios' games.
type Facts struct {
	// Types are the FourCCs that the targets of Facts.Refs must have, one for
	// each.
	Types []string
	// Complete says that Facts.Refs holds every reference there is, so that
	// scanning for ids would only add chance hits.
	Complete bool
}

// Batch returns nil: the catalog has no tables of such facts.
func (*Facts) Batch() *family.Batch { return nil }
