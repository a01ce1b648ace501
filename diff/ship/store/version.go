package store

import (
	"errors"
	"fmt"
	"slices"
)

// Format is the version of docs/store.md, raised whenever that page says something
// else: the one that is written, and the only one that is read.
const Format = 3

// FormatPlatforms is the version of manifests of builds for a platform, and of lists that have
// such builds: programs that do not know platforms would give players another one's.
const FormatPlatforms = 4

// The classes of errors. [errors.ErrUnsupported] is one more: see [VersionError].
var (
	ErrCorrupt = errors.New("corrupt store")
	ErrNoBuild = errors.New("the store has no such build")
	// ErrNoStore means that nothing was published to a folder.
	ErrNoStore = errors.New("not a store")
	// ErrLocation means that a store was named as none can be.
	ErrLocation = errors.New("not the location of a store")
	// ErrLabel means that a build was named as none in a store can be.
	ErrLabel = errors.New("not a label of a build in a store")
	// ErrChanged means that a file to be published is not what it was said to be.
	ErrChanged = errors.New("the file has changed since it was indexed")
	// ErrUnsigned means that a signature was wanted, and there is none.
	ErrUnsigned = errors.New("the store is not signed")
	// ErrSigned means that a store would lose its signature.
	ErrSigned = errors.New("the store is signed")
)

// State is the format and coder of a manifest and the files that it names.
type State struct {
	Format int    `json:"format"`
	Coder  string `json:"coder"`        // of deltas: as coderID has it
	By     string `json:"by,omitempty"` // which pakdb published it
}

// NewState returns the state in which a program writes these builds.
func NewState(by string, builds ...string) State {
	s := State{Format, coderID, by}
	if slices.ContainsFunc(builds, func(b string) bool { return Platform(b) != "" }) {
		s.Format = FormatPlatforms
	}
	return s
}

// check refuses what is written in another way.
func (s *State) check() error {
	if s.Format != Format && s.Format != FormatPlatforms || s.Coder != coderID {
		return &VersionError{*s}
	}
	return nil
}

// VersionError means that a store was published by another version of pakdb,
// which writes another format, or codes deltas in another way. It is
// [errors.ErrUnsupported].
type VersionError struct{ State }

func (e *VersionError) Error() string {
	if e.Format != Format && e.Format != FormatPlatforms {
		return fmt.Sprintf("version %d of the store, where this pakdb reads %d and %d", e.Format, Format, FormatPlatforms)
	}
	return fmt.Sprintf("the store's deltas are coded as %q, where this pakdb codes them as %q", e.Coder, coderID)
}

// Is reports that the error is [errors.ErrUnsupported].
func (e *VersionError) Is(target error) bool { return target == errors.ErrUnsupported }

// Hint returns a line for the user: which program reads the store.
func (e *VersionError) Hint() string {
	use := "the pakdb that published it"
	if e.By != "" {
		use = "pakdb " + e.By + ", which published it"
	}
	if e.Format > FormatPlatforms {
		return "use " + use + ", or a newer one"
	}
	return "publish the builds again, into an empty folder, or use " + use
}

// Coder returns the name of the way in which deltas are coded, as State has it.
func Coder() string { return coderID }

// coderID names the way in which deltas are coded: by what the decoder makes of noise. It
// changes with every change of the streams, and with nothing else. A test computes it:
// that takes 0.4 s, which every program that opens a store would spend.
const coderID = "f56b3583"
