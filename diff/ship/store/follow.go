package store

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/internal/regular"
)

// InstallName is the file of a folder that says which channel it follows, what decides
// when it gets a build that is given out by and by, and which parts of builds it wants. It
// never leaves the folder.
const InstallName = ".pakdb-install.json"

// mostInstall bounds that file.
const mostInstall = 128 << 10

// Install is the content of [InstallName]. Its zero value is that of a folder without one.
type Install struct {
	ID      string `json:"id,omitempty"`
	Channel string `json:"channel,omitempty"`

	Platform string `json:"platform,omitempty"` // whose builds it gets; "": of the system
	PartChoice
}

// ErrNoRelease is the class of errors for a channel that is not there, or that has nothing for
// an installation.
var ErrNoRelease = errors.New("no build of the channel")

// Follower finds out which build a folder gets. It is safe for concurrent use, but for its
// fields, which are set before.
type Follower struct {
	Channel string // whose builds are wanted; "": the one that the folder follows, or else [Stable]
	Install string // id of the installation; "": the folder's own
	Version string // of the program that asks; "": it does not say

	Platform string // whose builds are wanted; "": the folder's own, or else this system's

	mu     sync.Mutex
	now    *Install // what the folder is to remember; nil: nothing
	passed []Passed
	on     string // platform of the build that was chosen, which the folder is to remember
}

// Following returns the channel that the folder follows, by the last choice, and the newer
// builds that it does not get. It is empty if the store says nothing of channels.
func (f *Follower) Following() (name string, passed []Passed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		return "", nil
	}
	return f.now.Channel, append([]Passed{}, f.passed...)
}

// Choose returns which of the builds of a store, the last of which was published last, a
// folder gets; "" if there is none. dir may be "".
func (f *Follower) Choose(dir string, builds []string, l Channels) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	build, err := f.choose(dir, builds, l)
	f.on = Platform(build)
	return build, err
}

func (f *Follower) choose(dir string, builds []string, l Channels) (string, error) {
	if f.now, f.passed = nil, nil; len(builds) == 0 {
		return "", nil
	}
	have, err := ReadInstall(dir)
	if err != nil {
		return "", err
	}
	platform, err := f.platform(have, builds)
	if err != nil {
		return "", err
	}
	if len(platforms(builds)) > 0 {
		builds, l = Suiting(builds, platform), l.For(platform)
	}
	name := cmp.Or(f.Channel, have.Channel, Stable)
	if len(l) == 0 && name == Stable {
		return builds[len(builds)-1], nil
	}
	releases, ok := l[name]
	if !ok {
		return "", &noneError{name, slices.Sorted(maps.Keys(l)), nil}
	}
	id := cmp.Or(f.Install, have.ID)
	if id == "" {
		id = firstID(dir)
	}
	build, passed, ok := Choose(name, releases, Client{ID: id, Version: f.Version})
	if !ok {
		return "", &noneError{name, nil, passed}
	}
	f.now, f.passed = &Install{ID: id, Channel: name}, passed
	return build, nil
}

// Remember sets a folder's memory of the last choice of a build.
func (f *Follower) Remember(in *Install) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now != nil {
		in.ID, in.Channel = f.now.ID, f.now.Channel
	}
	in.Platform = cmp.Or(f.on, f.Platform, in.Platform)
}

// Marshal returns the content of [InstallName].
func (in *Install) Marshal() []byte {
	b, err := json.MarshalIndent(in, "", " ")
	if err != nil {
		return nil // texts can always be written
	}
	return append(b, '\n')
}

// firstID returns the id of an installation that has none yet: until it is written down, the
// same for the same folder of a machine.
func firstID(dir string) string {
	host, _ := os.Hostname()
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := blake3.Sum256([]byte(host + "\x00" + dir))
	return hex.EncodeToString(sum[:16])
}

// ReadInstall reads the memory of a folder; it is empty without the file.
func ReadInstall(dir string) (in Install, err error) {
	if dir == "" {
		return in, nil
	}
	f, err := regular.FS(dir).Open(InstallName)
	if errors.Is(err, fs.ErrNotExist) {
		return in, nil
	} else if err != nil {
		return in, err
	}
	b, err := io.ReadAll(io.LimitReader(f, mostInstall+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return in, err
	}
	err = json.Unmarshal(b, &in)
	if err != nil || len(b) > mostInstall || in.Channel != "" && !ValidChannel(in.Channel) || in.Platform != "" && !ValidChannel(in.Platform) || in.PartChoice.Check() != nil {
		return in, &installError{filepath.Join(dir, InstallName)}
	}
	return in, nil
}

// installError is the error for a file of that name that no update wrote.
type installError struct{ name string }

func (e *installError) Error() string { return e.name + " is not what an update writes" }

func (e *installError) Is(target error) bool { return target == ErrChannel }

func (e *installError) Hint() string {
	return "remove it: the folder then follows " + Stable + ", with all parts of its builds, until something else is asked for"
}

// noneError reports what there is instead, or why there is nothing.
type noneError struct {
	name   string
	have   []string
	passed []Passed
}

func (e *noneError) Error() string {
	switch {
	case len(e.passed) > 0:
		why := make([]string, len(e.passed))
		for i, p := range e.passed {
			why[i] = fmt.Sprintf("build %q: %s", p.Build, p.Why)
		}
		return fmt.Sprintf("channel %s has no build for this installation; %s", e.name, strings.Join(why, "; "))
	case len(e.have) == 0:
		return fmt.Sprintf("the store has no channel %s, nor any other: who names none gets the build published last", e.name)
	}
	return fmt.Sprintf("the store has no channel %s; it has %s", e.name, strings.Join(e.have, ", "))
}

func (e *noneError) Is(target error) bool { return target == ErrNoRelease }
