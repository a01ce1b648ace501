package codecs

// RetroAsset is the space of the asset ids of Retro Studios' games. An entry
// stands for its own [Entry.ID] there, so inspectors define no symbols: the
// same content may be stored under several ids.
const RetroAsset Space = "retro-asset"

// RetroFacts is the [Facts.Detail] of an asset of Retro Studios' games.
type RetroFacts struct {
	// Types are the FourCCs that the targets of Facts.Refs must have, one for
	// each.
	Types []string
	// Complete says that Facts.Refs holds every reference there is, so that
	// scanning for ids would only add chance hits.
	Complete bool
}
