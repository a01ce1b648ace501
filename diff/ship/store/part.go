package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Parts say which files of a build belong to its optional parts, as languages and
// DLC are, and which of these an installation wants.

// Bounds of what a build may say. A run takes 28 bytes of a manifest at most, and one value
// of a manifest has 1 MiB at most.
const (
	MostParts    = 256     // parts
	MostPartRuns = 1 << 15 // of one part
	mostAll      = 1 << 17 // runs of all parts together
	mostName     = 100
)

// AllParts means every part, also those of later builds.
const AllParts = "all"

// ErrPart is the class of errors for parts that no publisher writes.
var ErrPart = errors.New("invalid parts")

// Optional is a set of files that a client may leave out. A file that is in no part is always
// installed, and one that is in several if one of them is.
type Optional struct {
	Name string `json:"name"`
	// Files are runs in the build's list of files: the number of the first file, from 0 on,
	// and how many there are; then the next run, which does not touch the one before.
	Files []int `json:"files"`
}

// Parts are the parts of a build.
type Parts []Optional

// ValidPart reports whether a part may have that name.
func ValidPart(name string) bool {
	return name != "" && len(name) <= mostName && name[0] != '.' && name[0] != '-' && !strings.EqualFold(name, AllParts) && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._+-", r))
	}) < 0
}

// CheckPartNames fails with [ErrPart] for too many names, for one that is not valid, and for
// two that differ in case alone or not at all.
func CheckPartNames(names []string) error {
	if len(names) > MostParts {
		return fmt.Errorf("%w: %d of them, where a build has at most %d", ErrPart, len(names), MostParts)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if !ValidPart(name) {
			return fmt.Errorf("%w: the name %.120q: letters, digits, and . _ + - may be in it, up to %d, and %q is every part", ErrPart, name, mostName, AllParts)
		}
		if low := strings.ToLower(name); seen[low] {
			return fmt.Errorf("%w: %q is there twice", ErrPart, name)
		} else {
			seen[low] = true
		}
	}
	return nil
}

// Check fails with [ErrPart] for what no publisher writes, whatever files the build has.
func (l Parts) Check() error {
	if err := CheckPartNames(l.Names()); err != nil {
		return err
	}
	all := 0
	for _, p := range l {
		if all += len(p.Files) / 2; len(p.Files) == 0 || len(p.Files)%2 != 0 || len(p.Files)/2 > MostPartRuns || all > mostAll {
			return fmt.Errorf("%w: %q has its files in %d numbers", ErrPart, p.Name, len(p.Files))
		}
		end := -1
		for run := range slices.Chunk(p.Files, 2) {
			if run[0] <= end || run[1] < 1 || run[0] > 1<<30 || run[1] > 1<<30 {
				return fmt.Errorf("%w: %q has %d files from file %d on, after file %d", ErrPart, p.Name, run[1], run[0], end)
			}
			end = run[0] + run[1]
		}
	}
	return nil
}

// Fits fails with [ErrPart] for a part with files that a build of that many has not. The
// list was checked.
func (l Parts) Fits(files int) error {
	for _, p := range l {
		if n := len(p.Files); p.Files[n-2]+p.Files[n-1] > files {
			return fmt.Errorf("%w: %q has files up to number %d of %d", ErrPart, p.Name, p.Files[n-2]+p.Files[n-1]-1, files)
		}
	}
	return nil
}

// Add adds a file to a part: its number is larger than those of the files before.
func (p *Optional) Add(file int) {
	if n := len(p.Files); n > 0 && p.Files[n-2]+p.Files[n-1] == file {
		p.Files[n-1]++
		return
	}
	p.Files = append(p.Files, file, 1)
}

// Each calls use for the number of each file of the part. The list was checked.
func (p *Optional) Each(use func(file int)) {
	for run := range slices.Chunk(p.Files, 2) {
		for i := range run[1] {
			use(run[0] + i)
		}
	}
}

// Names returns the names of the parts.
func (l Parts) Names() (names []string) {
	for _, p := range l {
		names = append(names, p.Name)
	}
	return names
}

// LeftOut reports for each of the files of a build whether an installation lacks it.
// The list was checked, and fits the build.
func (l Parts) LeftOut(files int, c PartChoice) []bool {
	left := make([]bool, files)
	set := func(wanted bool) {
		for _, p := range l {
			if c.Wants(p.Name) != wanted {
				continue
			}
			p.Each(func(i int) { left[i] = !wanted })
		}
	}
	set(false)
	set(true) // a file that is in a part of each kind stays
	return left
}

// PartChoice says which parts an installation wants: those in With, and of the others those
// that are not in Without, unless that has [AllParts]. The zero value wants every part.
type PartChoice struct {
	With    []string `json:"with,omitempty"`
	Without []string `json:"without,omitempty"`
}

// ErrUnknownPart is the class of errors for parts that a build has not.
var ErrUnknownPart = errors.New("the build has no such part")

// ErrPartChoice is the class of errors for a choice that nobody can mean.
var ErrPartChoice = errors.New("not a choice of parts")

// ParseChoice returns the choice of a list of names: of parts to have, and, with a hyphen before
// them, of parts to do without. It fails as [PartChoice.Check] does.
func ParseChoice(list []string) (c PartChoice, err error) {
	for _, name := range list {
		if without, ok := strings.CutPrefix(name, "-"); ok {
			c.Without = append(c.Without, without)
		} else {
			c.With = append(c.With, name)
		}
	}
	return c, c.Check()
}

// Wants reports whether a part is wanted.
func (c PartChoice) Wants(name string) bool {
	return slices.Contains(c.With, name) || !slices.Contains(c.Without, name) && !slices.Contains(c.Without, AllParts)
}

// Check fails with [ErrPartChoice] for names that no part has, too many of them, and for a name
// that is wanted and not.
func (c PartChoice) Check() error {
	for _, name := range slices.Concat(c.With, c.Without) {
		if name != AllParts && !ValidPart(name) {
			return fmt.Errorf("%w: %.120q is no name of a part", ErrPartChoice, name)
		}
		if slices.Contains(c.With, name) && slices.Contains(c.Without, name) {
			return fmt.Errorf("%w: %q is wanted and left out", ErrPartChoice, name)
		}
	}
	if n := len(c.With) + len(c.Without); n > 4*MostParts {
		return fmt.Errorf("%w: %d names", ErrPartChoice, n)
	}
	return nil
}

// Change returns the choice after another one, of a build with these parts. [AllParts] in it
// makes what was chosen before of no matter. A name that the build has not is an error
// ([ErrUnknownPart]), unless it was chosen before: a launcher may name the same parts always, and
// a later build may be without one of them.
func (c PartChoice) Change(by PartChoice, l Parts) (PartChoice, error) {
	if err := by.Check(); err != nil {
		return c, err
	}
	known := l.Names()
	for _, name := range slices.Concat(by.With, by.Without) {
		if name != AllParts && !slices.Contains(known, name) && !slices.Contains(c.With, name) && !slices.Contains(c.Without, name) {
			return c, &unknownError{name, known}
		}
	}
	var next PartChoice
	switch {
	case slices.Contains(by.With, AllParts):
	case slices.Contains(by.Without, AllParts):
		next.Without = []string{AllParts}
	default:
		next = c
	}
	next.With = changed(next.With, by.With, by.Without)
	next.Without = changed(next.Without, by.Without, by.With)
	if err := next.Check(); err != nil {
		return c, err
	}
	return next, nil
}

// changed returns names with more of them and without others, sorted. All stays in.
func changed(names, more, less []string) []string {
	all := slices.Contains(names, AllParts)
	names = slices.DeleteFunc(slices.Concat(names, more), func(name string) bool { return name == AllParts || slices.Contains(less, name) })
	if all {
		names = append(names, AllParts)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Gone returns the names that were chosen and that a build has not.
func (c PartChoice) Gone(l Parts) (names []string) {
	known := l.Names()
	for _, name := range slices.Concat(c.With, c.Without) {
		if name != AllParts && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// unknownError reports what there is instead.
type unknownError struct {
	name  string
	known []string
}

func (e *unknownError) Error() string { return fmt.Sprintf("the build has no part %q", e.name) }

func (e *unknownError) Is(target error) bool { return target == ErrUnknownPart }

// Hint returns the parts that the build has.
func (e *unknownError) Hint() string {
	if len(e.known) == 0 {
		return "it has no optional parts at all"
	}
	return "its parts are " + strings.Join(e.known, ", ") + "; " + AllParts + " is every part"
}
