package overlay

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/internal/mount"
)

// Key is what two entries share when they are the same file of a game: the
// first 16 bytes of the BLAKE3 of what [codecs.Mounting] says that they are.
type Key [16]byte

// KeyOf returns the key of a path in the game's file system.
func KeyOf(path string) Key { return exactKey(mount.FileKey("", path)) }

func exactKey(text string) Key {
	sum := blake3.Sum256([]byte(text))
	return Key(sum[:16])
}

// Mount is an archive of a [Stack].
type Mount struct {
	Name       string // relative to the folder that was scanned
	Location   string // path of the file
	Format     string // codecs.Format.Name
	Version    string // as codecs.Info has it
	MountPoint string
	Order      int64 // what Mounting.Order says
	Size       int64 // of the file
	ModTime    int64 // of the file when it was scanned, Unix nanoseconds; 0: not scanned
	Entries    int64
	ID         int64 // in a catalog; 0: not from there
	Place      int   // among those of the stack: the lowest wins
	LastWins   bool  // of several entries of one file the last counts

	rules  codecs.Mounting // of its format
	apart  bool            // its entries are known by ids, and each archive holds all that its loader asks for
	staged *codecs.Staged  // has no name yet
}

// patches reports whether the mount lies above those that are no patches, which
// have orders below a hundred.
func (m *Mount) patches() bool { return m.Order >= firstPatchOrder }

const firstPatchOrder = 100

// Loose reports whether the mount is a file that is no archive.
func (m *Mount) Loose() bool { return m.rules.Loose }

// same reports whether two mounts are one file.
func (m *Mount) same(o *Mount) bool {
	return m == o || m.ID != 0 && m.ID == o.ID || m.staged == nil && o.staged == nil && m.Location == o.Location
}

// File is an entry of a mount.
type File struct {
	Mount        *Mount
	Key          Key
	Ordinal      int
	Name         string // as stored
	Offset       int64
	Stored, Size int64
	Flags        codecs.Flags
	Type         string    // as the archive says; "" for none
	ID           codecs.ID // that the archive stores; zero for none
	Content      [32]byte  // BLAKE3 of the decoded bytes, when Known
	Known        bool
	Padded       bool // its archive fills contents up: Size says little

	twin *File // whose stored bytes were found to be the same
}

// Deleted reports whether the entry is a delete record.
func (f *File) Deleted() bool { return f.Flags&codecs.Deleted != 0 }

// unnamed reports whether the name is made of type and id, as of chunks to which
// no path leads.
func (f *File) unnamed() bool {
	return f.ID.Bits == codecs.ChunkBits && f.Name == f.Type+"/"+f.ID.String()
}

// SetKey sets what the file is known by in the game.
func (f *File) SetKey() {
	e := codecs.Entry{Name: f.Name, Type: f.Type, ID: f.ID}
	f.Key = exactKey(f.Mount.rules.FileOf(f.Mount.Name, f.Mount.MountPoint, &e))
}

// Path is where the file is in the game's file system.
func (f *File) Path() string {
	if f.Mount.Loose() {
		return mount.Path("", f.Mount.Name)
	}
	return mount.Path(f.Mount.MountPoint, f.Name)
}

// Stack is a set of mounted archives.
type Stack struct {
	Label    string
	Mounts   []*Mount
	Files    []File               // grouped by mount, in stored order; delete records too
	Nameless int                  // entries without a name, which no path finds
	Damage   []codecs.Damage      // of archives as a whole: what is listed is not all that they held
	passed   []codecs.NamedFormat // files that are no archives and were not mounted

	view map[Key]*File
}

// Add appends the entries of one mount.
func (s *Stack) Add(m *Mount, files []File) {
	s.Mounts = append(s.Mounts, m)
	s.Files = append(s.Files, files...)
	s.view = nil
}

// arrange says which mount wins, for mounts that no catalog has placed.
func (s *Stack) arrange() {
	rules := make([]mount.Archive, len(s.Mounts))
	for i, m := range s.Mounts {
		rules[i] = m.rules.Archive(m.Name, m.Name)
		rules[i].Order = m.Order
	}
	for i, place := range mount.Places(rules) {
		s.Mounts[i].Place = place
	}
	s.view = nil
}

// View returns the files that a game sees, by their keys.
func (s *Stack) View() map[Key]*File {
	if s.view == nil {
		s.view = s.resolve(nil)
	}
	return s.view
}

// Follow takes over what a format says of its archives.
func (m *Mount) Follow(f *codecs.Format) {
	m.rules, m.apart = f.Mounts(), holdsAssets(f)
	m.LastWins = m.rules.LastEntry
}

// Unread returns the decoded bytes of files whose content is not known.
func (s *Stack) Unread() (n int64) {
	for _, f := range s.View() {
		if !f.Known {
			n += f.Size
		}
	}
	return n
}

// resolve goes through the mounts from the one that wins. hidden, if not nil, is
// called for every entry that nobody sees, with what hides it: see
// [mount.View.Offer].
func (s *Stack) resolve(hidden func(f, by *File)) map[Key]*File {
	view := mount.NewView[Key, *File](len(s.Files))
	for n, group := range s.groups() {
		for i := range group {
			f := &group[i]
			if f.Mount.LastWins {
				f = &group[len(group)-1-i]
			}
			if by, hides := view.Offer(f.Key, f, n, f.Mount.Order, f.Deleted()); hides && hidden != nil {
				hidden(f, by)
			}
		}
	}
	return maps.Collect(view.Seen())
}

// highest is the highest order that the stack mounts anything with.
func (s *Stack) highest() int64 {
	top := int64(0)
	for _, m := range s.Mounts {
		if m.rules.Order != nil {
			top = max(top, m.Order)
		}
	}
	return top
}

// groups returns the entries of each mount, the mount that wins first.
func (s *Stack) groups() [][]File {
	var groups [][]File
	for i := 0; i < len(s.Files); {
		j := i
		for ; j < len(s.Files) && s.Files[j].Mount == s.Files[i].Mount; j++ {
		}
		groups = append(groups, s.Files[i:j])
		i = j
	}
	slices.SortFunc(groups, func(a, b []File) int { return cmp.Compare(a[0].Mount.Place, b[0].Mount.Place) })
	return groups
}

// Over returns the stack with further mounts, which are placed by their orders
// and names: of archives whose format has no order, the further ones win. A
// mount takes the place of one of the same base name, as a file would.
func (s *Stack) Over(top *Stack) *Stack {
	replaced := map[string]bool{}
	for _, m := range top.Mounts {
		replaced[filepath.Base(filepath.FromSlash(m.Name))] = true
	}
	kept := slices.DeleteFunc(slices.Clone(s.Damage), func(d codecs.Damage) bool { return replaced[path.Base(d.Archive)] })
	all := &Stack{Label: s.Label, Nameless: s.Nameless + top.Nameless,
		Damage: append(kept, top.Damage...), passed: append(slices.Clone(s.passed), top.passed...)}
	fresh := map[*Mount]*Mount{} // place is of a stack, so mounts are copied
	for _, from := range []*Stack{top, s} {
		for _, m := range from.Mounts {
			if from == s && replaced[filepath.Base(filepath.FromSlash(m.Name))] {
				continue
			}
			dup := *m
			fresh[m] = &dup
			all.Mounts = append(all.Mounts, &dup)
		}
		for _, f := range from.Files {
			if m := fresh[f.Mount]; m != nil {
				f.Mount = m
				all.Files = append(all.Files, f)
			}
		}
	}
	all.arrange()
	return all
}

// MountState is what an archive contributes to what a game sees.
type MountState struct {
	*Mount
	Files   int   // entries that are no delete records
	Seen    int   // of them, that the game sees
	Dead    int   // that it cannot reach
	Bytes   int64 // stored, of what it cannot reach
	Deletes int   // delete records
	Idle    int   // of them, that hide nothing
	Ties    int   // files that it wins or loses by its name alone
}

// Shadow is an entry that a game does not see, and what hides it.
type Shadow struct {
	File, By *File
	Tie      bool // both have one mount order: the name decides
	Same     bool // both have the same content
}

// Chunk returns the chunk of a game that the name of the archive states. ok is false if
// its format has no chunks in names, or this name has none.
func (m *Mount) Chunk(registry *codecs.Registry) (chunk int, ok bool) {
	f, known := registry.Format(m.Format)
	if !known || f.Mounts().Chunk == nil {
		return 0, false
	}
	return f.Mounts().Chunk(m.Name)
}

// SumShadows returns the stored bytes of the hidden entries, and how many of them are
// hidden by a name alone.
func SumShadows(shadows []Shadow) (stored int64, ties int) {
	for i := range shadows {
		stored += shadows[i].File.Stored
		if shadows[i].Tie {
			ties++
		}
	}
	return stored, ties
}

// Survey returns what each mount contributes, the one that wins first, and
// lists what is hidden, by path. Loose files are left out.
func (s *Stack) Survey() ([]MountState, []Shadow) {
	states := map[*Mount]*MountState{}
	for _, m := range s.Mounts {
		states[m] = &MountState{Mount: m}
	}
	var shadows []Shadow
	idle := map[*File]bool{}
	for i := range s.Files {
		f := &s.Files[i]
		st := states[f.Mount]
		if f.Deleted() {
			st.Deletes++
			idle[f] = true
		} else {
			st.Files++
			st.Seen++
		}
	}
	s.resolve(func(f, by *File) {
		st := states[f.Mount]
		st.Seen--
		st.Dead++
		st.Bytes += f.Stored
		delete(idle, by)
		sh := Shadow{File: f, By: by, Tie: f.Mount != by.Mount && f.Mount.Order == by.Mount.Order,
			Same: f.Known && by.Known && f.Content == by.Content}
		if sh.Tie {
			st.Ties++
			states[by.Mount].Ties++
		}
		shadows = append(shadows, sh)
	})
	s.blame(idle)
	for f := range idle {
		states[f.Mount].Idle++
	}
	return sorted(states), byFile(shadows)
}

// blame takes delete records off the list of the idle which hide an entry that
// lies below them: resolve names what the game sees instead, if there is
// anything.
func (s *Stack) blame(idle map[*File]bool) {
	byKey := map[Key][]*File{}
	for f := range idle {
		byKey[f.Key] = append(byKey[f.Key], f)
	}
	for i := range s.Files {
		f := &s.Files[i]
		if f.Deleted() {
			continue
		}
		for _, record := range byKey[f.Key] {
			if f.Mount.Order < record.Mount.Order {
				delete(idle, record)
			}
		}
	}
}

func sorted(states map[*Mount]*MountState) (all []MountState) {
	for m, st := range states {
		if !m.Loose() {
			all = append(all, *st)
		}
	}
	slices.SortFunc(all, func(a, b MountState) int { return cmp.Compare(a.Place, b.Place) })
	return all
}

func byFile(shadows []Shadow) []Shadow {
	shadows = slices.DeleteFunc(shadows, func(s Shadow) bool { return s.File.Mount.Loose() })
	slices.SortFunc(shadows, func(a, b Shadow) int {
		return cmp.Or(cmp.Compare(a.File.Path(), b.File.Path()), cmp.Compare(a.File.Mount.Place, b.File.Mount.Place),
			cmp.Compare(a.File.Ordinal, b.File.Ordinal))
	})
	return shadows
}
