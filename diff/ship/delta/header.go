package delta

import (
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/atomicfile"
	"pakdb/internal/safename"
)

// Segment is a part of a patch.
type Segment struct {
	Stored int64
	Sum    Sum
	File   int // of the new files: the one it begins in
}

// Header is what a patch says about itself.
type Header struct {
	Files
	Needs
	Parts     []Segment
	RootHash  Root  // of the header, and of the segments or their hashes: it stands for the whole patch, and is signed
	FrontSize int64 // of all that is before the segments

	SignatureAt int64 // where in the file the signature is, or would be

	// Signature is the text of a minisign signature of the root, or empty.
	Signature []byte
}

// IsListed reports that the header has its segments' sizes and hashes. If there is
// one at most, the root stands for it directly.
func (h *Header) IsListed() bool { return len(h.Parts) > 1 }

// Length returns the size of the patch file.
func (h *Header) Length() int64 {
	n := h.FrontSize
	for _, s := range h.Parts {
		n += s.Stored
	}
	return n
}

// Check refuses what no Make writes: names that leave the folder or occur
// twice, segments of files that are not there.
func (h *Header) Check() error {
	for _, f := range h.Old {
		if strings.ContainsRune(f.Name, 0) || len(f.Name) > MaxName {
			return fmt.Errorf("%w: header: %q is no name of a file", ErrCorrupt, f.Name)
		}
	}
	var names safename.Set
	for _, f := range h.New {
		if err := CheckName(f.Name); err != nil {
			return err
		}
		if IsOwn(f.Name) {
			return fmt.Errorf("%w: header: new file %q has a name that pakdb keeps for its own files", ErrCorrupt, f.Name)
		}
		if err := names.Add(f.Name); err != nil {
			return fmt.Errorf("%w: header: two new files %q: %w", ErrCorrupt, f.Name, err)
		}
	}
	for _, s := range h.Parts {
		if s.File >= len(h.New) || !h.IsMade(s.File) {
			return fmt.Errorf("%w: header: a segment of new file %d of %d, which has none", ErrCorrupt, s.File, len(h.New))
		}
	}
	return nil
}

// IsOwn reports that a file, or a folder that it lies in, is called as those that
// updates leave for the time being. A patch that made one could say what the next
// update has to finish.
func IsOwn(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return len(part) >= len(atomicfile.Prefix) && strings.EqualFold(part[:len(atomicfile.Prefix)], atomicfile.Prefix)
	})
}

// CheckName admits names that mean the same below any folder of any system.
func CheckName(name string) error {
	if err := safename.Check(name); err != nil {
		return fmt.Errorf("%w: header: %q is no name of a file below a folder: %w", ErrCorrupt, name, err)
	}
	return nil
}

// Unmade is the header of the same files.
func (h *Header) Unmade() *Header {
	return &Header{Files: Files{Old: h.Old, New: h.New, Told: h.Told, Same: h.Same, Modes: h.Modes}}
}

// Stored is how many bytes the patch will have.
func (h *Header) Stored() int64 {
	h.Marshal(nil)
	return h.Length()
}

// CheckSignature verifies that the patch was signed by the owner of a key.
func (h *Header) CheckSignature(key *PublicKey) error {
	if len(h.Signature) == 0 {
		return ErrUnsigned
	}
	_, err := key.Verify(h.RootHash[:], string(h.Signature))
	return err
}
