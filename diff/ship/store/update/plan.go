package update

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"pakdb/diff/ship/store"
)

// Plan says what an update does, as data: [Folder.Plan] decides it, [Folder.Apply]
// carries it out, and as JSON it says the same.
type Plan struct {
	Build   string    `json:"build"`              // label
	Parts   []PartUse `json:"parts,omitempty"`    // of the build
	NoParts []string  `json:"no_parts,omitempty"` // that the folder was told to have, or to do without, and that the build has not
	Files   []File    `json:"files"`              // that are made, by path
	Modes   []Mode    `json:"modes,omitempty"`    // files that become executable, or not, and stay as they are
	Remove  []string  `json:"remove,omitempty"`   // files that another build put there
	Keep    []string  `json:"keep,omitempty"`     // files that are not of the build, and that nobody published so
	Altered []string  `json:"altered,omitempty"`  // of these, those that another build put there, and somebody changed
	Aside   []Aside   `json:"aside,omitempty"`    // such files that are moved aside
	Patches []Patch   `json:"patches,omitempty"`  // that are applied, in this order
	Ranges  []Range   `json:"ranges,omitempty"`   // that are fetched besides
	Overlay *Overlay  `json:"overlay,omitempty"`  // archives that stay as they are, if they do
	Stale   []string  `json:"stale,omitempty"`    // what an earlier try left and is of no use, below [store.WorkDir]
	Bill    Bill      `json:"bill"`
}

// Mode says whether a file is executable.
type Mode struct {
	Path string `json:"path"`
	Exec bool   `json:"executable"`
}

// PartUse is an optional part of a build, and whether the folder has it.
type PartUse struct {
	Name   string `json:"name"`
	Wanted bool   `json:"wanted"`
	Files  int    `json:"files"`
	Size   int64  `json:"size"` // bytes of them
}

// Aside is a file that gets another name, so that a game does not take it for its own.
type Aside struct {
	Path string `json:"path"`
	To   string `json:"to"`
}

// moveAside plans to move aside what was altered.
func (p *Plan) moveAside(d *disk) {
	p.Keep = slices.DeleteFunc(slices.Clone(p.Keep), func(name string) bool { return slices.Contains(p.Altered, name) })
	for _, name := range p.Altered {
		to := name + ".changed"
		for n := 2; d.taken(to); n++ {
			to = fmt.Sprintf("%s.changed-%d", name, n)
		}
		p.Aside = append(p.Aside, Aside{name, to})
	}
	p.Altered = nil
}

// errForeignPlan means that what is to be applied was not planned for this folder.
var errForeignPlan = errors.New("the plan is not of this folder and build")

// File is a file that is made. All of it comes from one patch, or each of its
// contents from the folder, from a delta, or from chunks.
type File struct {
	Path    string   `json:"path"`
	Size    int64    `json:"size"`
	Sum     string   `json:"blake3"`
	New     bool     `json:"new"`               // the folder has none of the name
	Patch   string   `json:"patch,omitempty"`   // name; "": it is made of contents
	From    []string `json:"from,omitempty"`    // files of the folder that contents are taken from, or chunks of them
	Local   int64    `json:"local,omitempty"`   // decoded bytes that the folder has
	Coded   int64    `json:"coded,omitempty"`   // that deltas of contents make
	Missing int64    `json:"missing,omitempty"` // of chunks that are fetched
}

// Patch is a transport patch between files that an update applies.
type Patch struct {
	Name  string   `json:"name"`
	Size  int64    `json:"size"`
	Old   []string `json:"old,omitempty"` // files of the folder that it begins with
	Files []string `json:"files"`         // that it makes
}

// Range is a part of a file of the store that is fetched by one request.
type Range struct {
	File  string `json:"file"`
	Sum   string `json:"blake3"` // of the file: the first 16 bytes, in hexadecimal
	Off   int64  `json:"offset"`
	Size  int64  `json:"size"`
	Parts []Part `json:"parts"` // that are needed of it
}

// Part is what is needed of a range: a frame of a pack, or the delta of a content.
type Part struct {
	Pack    int     `json:"pack,omitempty"` // its number; 0: it is a delta
	Frame   int     `json:"frame,omitempty"`
	Content Content `json:"content,omitzero"` // that a delta makes
	Off     int64   `json:"offset"`           // in the range
	Size    int64   `json:"size"`
}

// frame returns which frame the part is.
func (p *Part) frame() store.FrameID { return store.FrameID{Pack: p.Pack, Frame: p.Frame} }

// Content tells contents apart.
type Content struct {
	ID   uint64
	Size int64
}

// MarshalText returns the id in hexadecimal and the size.
func (c Content) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%016x-%d", c.ID, c.Size), nil
}

// UnmarshalText reads what MarshalText returns.
func (c *Content) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%016x-%d", &c.ID, &c.Size)
	return err
}

// Bill tells what an update costs, before it starts.
type Bill struct {
	Same     int   `json:"same"` // files
	Changed  int   `json:"changed"`
	New      int   `json:"new"`
	Gone     int   `json:"gone"`       // files to be removed
	Kept     int   `json:"kept"`       // files that the build has not, and that nobody published so
	Local    int64 `json:"local"`      // decoded bytes that come from the folder's own files
	Missing  int64 `json:"missing"`    // decoded bytes that do not
	ByDelta  int   `json:"by_patch"`   // files that a patch makes
	Coded    int   `json:"coded"`      // contents that deltas make
	Looked   int64 `json:"read"`       // bytes of unchanged files that were read for contents that have moved
	Fetch    int64 `json:"fetch"`      // bytes of packs, patches and deltas
	Requests int   `json:"requests"`   // for them
	Known    int64 `json:"known"`      // bytes of manifests, recipes and lists, which have been fetched
	Asked    int64 `json:"asked"`      // requests for those
	Write    int64 `json:"write"`      // bytes of files
	Reused   int64 `json:"reused"`     // bytes of both that an earlier try has left
	Stale    int64 `json:"stale"`      // bytes that it left and that are of no use, which Apply removes
	Free     int64 `json:"free_space"` // of the folder's disk; -1: unknown
}

// addRanges takes in what is fetched besides patches.
func (p *Plan) addRanges(ranges []Range) {
	p.Ranges = ranges
	for i := range ranges {
		p.Bill.Fetch = store.SumSizes(p.Bill.Fetch, ranges[i].Size)
		for _, part := range ranges[i].Parts {
			if part.Pack == 0 {
				p.Bill.Coded++
			}
		}
	}
	p.Bill.Requests += len(ranges)
}

// addFile takes in a file that is made.
func (p *Plan) addFile(f File) {
	p.Files = append(p.Files, f)
	p.Bill.Local = store.SumSizes(p.Bill.Local, store.SumSizes(f.Local, f.Coded))
	p.Bill.Missing = store.SumSizes(p.Bill.Missing, f.Missing)
	p.Bill.Write = store.SumSizes(p.Bill.Write, f.Size)
	if f.New {
		p.Bill.New++
	} else {
		p.Bill.Changed++
	}
}

// hexSum returns a hash as plans have it.
func hexSum(sum store.Key) string { return hex.EncodeToString(sum[:]) }
