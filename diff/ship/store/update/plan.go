package update

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"

	"pakdb/diff/ship/store"
)

// Plan says what an update does, as data: [Folder.Plan] decides it, [Folder.Apply]
// carries it out, and as JSON it says the same.
type Plan struct {
	Build   string    `json:"build"`              // label
	Parts   []PartUse `json:"parts,omitempty"`    // of the build
	NoParts []string  `json:"no_parts,omitempty"` // that the folder was asked to have, or to do without, and that the build has not
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
	Rank  int    `json:"rank"`  // of the optional part that needs it first, in their order from 1 on; 0: files of none do
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

// Content identifies a content.
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

// Bill reports what an update costs, before it starts.
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

// parts are what a folder wants of a build.
type parts struct {
	install store.Install // what the folder is to remember
	before  []byte        // what it remembers
	tell    []PartUse
	gone    []string     // parts that it asks for, and that the build has not
	left    []store.File // files of the build that it does without
	wanted  []string     // parts that the build has and the folder wants, in the publisher's order
	ranks   ranks
}

// chooseParts takes the files that a folder does without from those of a build, and returns the
// build without them. From then on they are like files that only other builds have.
func chooseParts(dir string, all *store.Build, by store.PartChoice, mem *store.Budget) (p *parts, b *store.Build, err error) {
	p = &parts{}
	if p.install, err = store.ReadInstall(dir); err != nil {
		return nil, nil, err
	}
	p.before = p.install.Marshal()
	if p.install.PartChoice, err = p.install.Change(by, all.Parts); err != nil {
		return nil, nil, err
	}
	p.gone = p.install.Gone(all.Parts)
	p.ranks = ranks{}
	for _, one := range all.Parts {
		use := PartUse{Name: one.Name, Wanted: p.install.Wants(one.Name)}
		one.Each(func(i int) { use.Files++; use.Size += all.Files[i].Size })
		p.tell = append(p.tell, use)
		if !use.Wanted {
			continue
		}
		p.wanted = append(p.wanted, one.Name)
		one.Each(func(i int) {
			if name := all.Files[i].Path; p.ranks[name] == 0 {
				p.ranks[name] = len(p.wanted)
			}
		})
	}
	if len(all.Parts) == 0 {
		return p, all, nil
	}
	if err := mem.Take(store.HeldFile * int64(len(all.Files))); err != nil {
		return nil, nil, err
	}
	some := *all // the target's has all files
	some.Files = nil
	for i, without := range all.Parts.LeftOut(len(all.Files), p.install.PartChoice) {
		if without {
			p.left = append(p.left, all.Files[i])
		} else {
			some.Files = append(some.Files, all.Files[i])
		}
	}
	return p, &some, nil
}

// remember writes down what the folder follows and wants, if that is something new.
func (p *parts) remember(d *disk, follow *store.Follower) error {
	in := p.install
	follow.Remember(&in)
	b := in.Marshal()
	if bytes.Equal(b, p.before) {
		return nil
	}
	return d.out.Replace(store.InstallName, b)
}

// addLeft takes in what an earlier try left in the folder of work: what this one
// fetches or makes as well is not needed twice, the rest will be removed.
func (p *Plan) addLeft(d *disk) {
	useful := map[string]int64{}
	for i := range p.Ranges {
		useful[path.Base(p.Ranges[i].work())] = p.Ranges[i].Size
	}
	for i := range p.Patches {
		useful[path.Base(p.Patches[i].work())] = p.Patches[i].Size
	}
	for i := range p.Files {
		useful[path.Base(workOf(&p.Files[i]))] = p.Files[i].Size
	}
	d.eachLeft(func(name string, size int64) {
		if name == path.Base(emptiedName) || isPreload(name) {
			return // the folders that are to be removed, if they are empty
		}
		if most, ok := useful[name]; ok && size <= most {
			p.Bill.Reused = store.SumSizes(p.Bill.Reused, size)
			return
		}
		p.Bill.Stale = store.SumSizes(p.Bill.Stale, size)
		p.Stale = append(p.Stale, name)
	})
}
