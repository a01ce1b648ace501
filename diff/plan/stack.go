package plan

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/schema"
)

// Key is what two entries share when they are the same file of a game: the
// first 16 bytes of the BLAKE3 of their [codecs.FileKey].
type Key [16]byte

// KeyOf returns the key of a path in the game's file system.
func KeyOf(path string) Key { return exactKey(codecs.FileKey("", path)) }

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
	Order      int64 // what Format.MountOrder says
	Size       int64 // of the file
	ModTime    int64 // of the file when it was scanned, Unix nanoseconds; 0: not scanned
	Entries    int64

	place    int // among those of the stack: the lowest wins
	lastWins bool
	ordered  bool           // its format has a mount order
	first    bool           // of those of one order the first by name wins
	own      []string       // types of entries that describe the archive
	apart    bool           // its entries are known by ids, and each archive holds all that its loader asks for
	id       int64          // in the catalog; 0: not from there
	staged   *codecs.Staged // has no name yet
}

// patches reports whether the mount lies above those that are no patches, which
// have orders below a hundred.
func (m *Mount) patches() bool { return m.Order >= firstPatchOrder }

const firstPatchOrder = 100

// loose reports whether the mount is a file that is no archive.
func (m *Mount) loose() bool { return m.Format == "loose" }

// same reports whether two mounts are one file.
func (m *Mount) same(o *Mount) bool {
	return m == o || m.id != 0 && m.id == o.id || m.staged == nil && o.staged == nil && m.Location == o.Location
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
	Type         string        // as the archive says; "" for none
	ID           codecs.ID     // that the archive stores; zero for none
	Content      schema.Digest // BLAKE3 of the decoded bytes, when Known
	Known        bool

	padded bool  // its archive fills contents up: Size says little
	twin   *File // whose stored bytes were found to be the same
}

// Deleted reports whether the entry is a delete record.
func (f *File) Deleted() bool { return f.Flags&codecs.Deleted != 0 }

// unnamed reports whether the name is made of type and id, as of chunks to which
// no path leads.
func (f *File) unnamed() bool {
	return f.ID.Bits == codecs.ChunkBits && f.Name == f.Type+"/"+f.ID.String()
}

// setKey sets what the file is known by in the game: chunks of containers by
// their ids, whatever paths a container gives them.
func (f *File) setKey() {
	if f.ID.Bits == codecs.ChunkBits {
		f.Key = exactKey("chunk " + f.ID.String())
		return
	}
	f.Key = KeyOf(f.Path())
}

// Path is where the file stands in the game's file system.
func (f *File) Path() string {
	if f.Mount.loose() {
		return codecs.MountedPath("", f.Mount.Name)
	}
	return codecs.MountedPath(f.Mount.MountPoint, f.Name)
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

// add appends the entries of one mount.
func (s *Stack) add(m *Mount, files []File) {
	s.Mounts = append(s.Mounts, m)
	s.Files = append(s.Files, files...)
	s.view = nil
}

// arrange says which mount wins, for mounts that no catalog has placed.
func (s *Stack) arrange() {
	byRank := slices.Clone(s.Mounts)
	slices.SortStableFunc(byRank, func(a, b *Mount) int {
		return codecs.CompareMounted(a.mounted(), b.mounted())
	})
	for place, m := range byRank {
		m.place = place
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

func (m *Mount) mounted() codecs.Mounted {
	return codecs.Mounted{Order: m.Order, Ordered: m.ordered, FirstWins: m.first, Name: m.Name}
}

// follow takes over what a format says of its archives.
func (m *Mount) follow(f *codecs.Format) {
	m.lastWins, m.ordered, m.first, m.apart, m.own = f.LastWins, f.MountOrder != nil, f.FirstWins, holdsAssets(f), f.OwnTypes
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

// cell is what is known of one file while mounts are gone through from the top.
type cell struct {
	seen   *File
	gone   *File  // the uppermost delete record
	latest *Mount // the last mount that had it
	twice  *File  // the entry of that mount that counts
}

// resolve goes through the mounts from the one that wins. Of several entries of
// one file in one mount the first or the last counts, as its format has it. A
// delete record hides the file in mounts of lower order, not in those of its
// own. hidden, if not nil, is called for every entry that nobody sees, with what
// hides it: the entry that is seen, else the uppermost delete record, else the
// one that counts in the same mount.
func (s *Stack) resolve(hidden func(f, by *File)) map[Key]*File {
	cells := make(map[Key]*cell, len(s.Files))
	store := make([]cell, 0, len(s.Files))
	for _, group := range s.groups() {
		for i := range group {
			f := &group[i]
			if f.Mount.lastWins {
				f = &group[len(group)-1-i]
			}
			c := cells[f.Key]
			if c == nil {
				store = append(store, cell{})
				c = &store[len(store)-1]
				cells[f.Key] = c
			}
			if by := c.offer(f); by != nil && hidden != nil && !f.Deleted() {
				hidden(f, by)
			}
		}
	}
	view := make(map[Key]*File, len(cells))
	for key, c := range cells {
		if c.seen != nil {
			view[key] = c.seen
		}
	}
	return view
}

// offer takes the next entry of a file and returns what hides it, nil if it is
// seen.
func (c *cell) offer(f *File) (by *File) {
	if c.latest == f.Mount {
		return c.twice
	}
	c.latest, c.twice = f.Mount, f
	switch {
	case f.Deleted():
		if c.gone == nil {
			c.gone = f
		}
		return nil
	case c.seen != nil:
		return c.seen
	case c.gone != nil && f.Mount.Order < c.gone.Mount.Order:
		return c.gone
	}
	c.seen = f
	return nil
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
	slices.SortFunc(groups, func(a, b []File) int { return cmp.Compare(a[0].Mount.place, b[0].Mount.place) })
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
