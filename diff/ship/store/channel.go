package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/zeebo/blake3"
)

// Channels decide which build of a store an installation gets: by the channel
// that it follows, by the part of all installations that a build was given to, and by the
// version of the program that asks. The store says what was released, and the
// installation decides: nothing about it leaves it.

// Stable is the channel of installations that name none.
const Stable = "stable"

// AllChannels is the share of all installations.
const AllChannels = 10_000

// What a store may say.
const (
	mostChannels = 64
	mostReleases = 64
	mostText     = 100
)

// ErrChannel is the class of errors for channels that no store has.
var ErrChannel = errors.New("invalid channel")

// Release gives a build to installations of a channel.
type Release struct {
	Build string `json:"build"`
	Share int    `json:"share"`                // of [AllChannels] installations, from 1
	Min   string `json:"min_client,omitempty"` // versions of clients that can have it, both included; "": any
	Max   string `json:"max_client,omitempty"`
}

// Channels has the releases of each channel by its name, the newest last. Where it is empty,
// clients that follow [Stable] get the build that was published last.
type Channels map[string][]Release

// ValidChannel reports whether a channel may have that name.
func ValidChannel(name string) bool {
	return name != "" && len(name) <= mostText && name[0] != '.' && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._+-", r))
	}) < 0
}

// Check refuses what no publisher writes; label reports whether a build may be called so.
func (l Channels) Check(label func(string) bool) error {
	if len(l) > mostChannels {
		return fmt.Errorf("%w: %d channels", ErrChannel, len(l))
	}
	for name, releases := range l {
		if !ValidChannel(name) || len(releases) == 0 || len(releases) > mostReleases {
			return fmt.Errorf("%w: %q with %d releases", ErrChannel, name, len(releases))
		}
		for i := range releases {
			r := &releases[i]
			if !label(r.Build) {
				return fmt.Errorf("%w: %q: build %q", ErrChannel, name, r.Build)
			}
			if err := r.check(); err != nil {
				return fmt.Errorf("%q: build %q: %w", name, r.Build, err)
			}
		}
	}
	return nil
}

func (r *Release) check() error {
	if r.Share < 1 || r.Share > AllChannels {
		return fmt.Errorf("%w: a share of %d of %d", ErrChannel, r.Share, AllChannels)
	}
	for _, v := range []string{r.Min, r.Max} {
		if v != "" && !ValidVersion(v) {
			return fmt.Errorf("%w: client version %q", ErrChannel, v)
		}
	}
	if r.Min != "" && r.Max != "" && CompareVersions(r.Min, r.Max) > 0 {
		return fmt.Errorf("%w: client versions from %s to %s", ErrChannel, r.Min, r.Max)
	}
	return nil
}

// all reports whether every installation of the channel gets the build.
func (r *Release) all() bool { return r.Share == AllChannels && r.Min == "" && r.Max == "" }

// Add returns the list with a release added to a channel: of a build that is its newest
// already the share and the limits are replaced. Who has no part in the newest gets the one
// before, so releases stay until a later one is for everybody. In a list that was empty
// everybody on [Stable] keeps the build before, if there is one: "" if not. Builds for other
// platforms are another matter.
func (l Channels) Add(name string, r Release, before string) (Channels, error) {
	if !ValidChannel(name) {
		return nil, fmt.Errorf("%w: %q", ErrChannel, name)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	next := maps.Clone(l)
	if next == nil {
		next = Channels{}
	}
	platform := Platform(r.Build)
	if len(l.For(platform)) == 0 && before != "" {
		next[Stable] = append(slices.Clone(next[Stable]), Release{Build: before, Share: AllChannels})
	}
	releases := slices.Clone(next[name])
	for i, have := range slices.Backward(releases) {
		if Platform(have.Build) != platform {
			continue
		}
		if have.Build == r.Build {
			releases = slices.Delete(releases, i, i+1)
		}
		break
	}
	if r.all() { // nobody on that platform gets one before it
		releases = slices.DeleteFunc(releases, func(have Release) bool { return platform == "" || Platform(have.Build) == platform })
	}
	releases = append(releases, r)
	if len(releases) > mostReleases {
		return nil, fmt.Errorf("%w: %q has %d releases, of which none is for everybody", ErrChannel, name, len(releases))
	}
	next[name] = releases
	if len(next) > mostChannels {
		return nil, fmt.Errorf("%w: %d channels", ErrChannel, len(next))
	}
	return next, nil
}

// Equal reports whether two lists say the same.
func (l Channels) Equal(o Channels) bool { return maps.EqualFunc(l, o, slices.Equal[[]Release]) }

// Builds returns the builds that some channel gives out.
func (l Channels) Builds() map[string]bool {
	builds := map[string]bool{}
	for _, releases := range l {
		for _, r := range releases {
			builds[r.Build] = true
		}
	}
	return builds
}

// Given returns the channels that give a build out, and to whom: "beta", "stable 10 %".
func (l Channels) Given(build string) (given []string) {
	for _, name := range slices.Sorted(maps.Keys(l)) {
		for _, r := range l[name] {
			if r.Build != build {
				continue
			}
			text := name
			if r.Share < AllChannels {
				text += " " + Percent(r.Share)
			}
			if r.Min != "" || r.Max != "" {
				text += fmt.Sprintf(" (clients %s to %s)", cmp.Or(r.Min, "any"), cmp.Or(r.Max, "any"))
			}
			given = append(given, text)
		}
	}
	return given
}

// Client describes the program and the installation that ask for a build.
type Client struct {
	ID      string // of the installation: any text that stays the same
	Version string // of the program, "": it does not say
}

// Passed is a release that a client does not get.
type Passed struct {
	Build string `json:"build"`
	Why   string `json:"why"`
}

// Choose returns the build that a client gets, and the newer ones that it does not. ok is
// false if there is none.
func Choose(name string, releases []Release, c Client) (build string, passed []Passed, ok bool) {
	for _, r := range slices.Backward(releases) {
		why := r.refuses(name, c)
		if why == "" {
			return r.Build, passed, true
		}
		passed = append(passed, Passed{r.Build, why})
	}
	return "", passed, false
}

// refuses reports why a client does not get a release; "" if it does.
func (r *Release) refuses(name string, c Client) string {
	switch {
	case (r.Min != "" || r.Max != "") && c.Version == "":
		return "it is for some versions of the program that updates, and this one does not say which it is"
	case r.Min != "" && CompareVersions(c.Version, r.Min) < 0:
		return fmt.Sprintf("it needs version %s or later of the program that updates, and this is %s", r.Min, c.Version)
	case r.Max != "" && CompareVersions(c.Version, r.Max) > 0:
		return fmt.Sprintf("it is for version %s or earlier of the program that updates, and this is %s", r.Max, c.Version)
	case r.Share < AllChannels && place(name, r.Build, c.ID) >= r.Share:
		return fmt.Sprintf("%s of the installations have it so far, and this one has not", Percent(r.Share))
	}
	return ""
}

// place returns the place of an installation among [AllChannels], for a build of a channel: those
// below the share get it, and as it grows, no installation loses it. Others come
// first in other builds.
func place(name, build, id string) int {
	h := blake3.New()
	for _, s := range []string{name, build, id} {
		_, _ = h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
		_, _ = h.WriteString(s)
	}
	return int(binary.LittleEndian.Uint64(h.Sum(nil)) % AllChannels)
}

// Percent writes a share as people do: "12.5 %".
func Percent(share int) string {
	text := fmt.Sprintf("%d.%02d", share/100, share%100)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + " %"
}

// ParseShare reads "12.5%", "12.5 %" or "12.5". It is above zero.
func ParseShare(text string) (int, error) {
	number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%"))
	whole, part, _ := strings.Cut(number, ".")
	share := 0
	for i, digits := range []string{whole, (part + "00")[:max(2, len(part))]} {
		if digits == "" || len(digits) > 3 || i == 1 && len(digits) > 2 || strings.Trim(digits, "0123456789") != "" {
			return 0, fmt.Errorf("%w: a share of %q", ErrChannel, text)
		}
		for _, d := range digits {
			share = share*10 + int(d-'0')
		}
	}
	if share < 1 || share > AllChannels {
		return 0, fmt.Errorf("%w: a share of %q", ErrChannel, text)
	}
	return share, nil
}

// platformMark is between a label and a platform in the name of a build. No label has it.
const platformMark = "@"

// JoinPlatform returns the name of the build of a label for a platform; "" is every platform.
func JoinPlatform(label, platform string) string {
	if platform == "" {
		return label
	}
	return label + platformMark + platform
}

// SplitPlatform returns the label and the platform of a build: "1.1" and "windows" of "1.1@windows".
func SplitPlatform(build string) (label, platform string) {
	label, platform, _ = strings.Cut(build, platformMark)
	return label, platform
}

// Platform returns the platform of a build; "" is every platform.
func Platform(build string) string {
	_, platform := SplitPlatform(build)
	return platform
}

// Suits reports whether a build is for a platform, or for every one.
func Suits(build, platform string) bool {
	p := Platform(build)
	return p == "" || p == platform
}

// Suiting returns the builds that suit a platform.
func Suiting(builds []string, platform string) []string {
	return slices.DeleteFunc(slices.Clone(builds), func(b string) bool { return !Suits(b, platform) })
}

// For returns the releases of builds that suit a platform, without channels that have none.
func (l Channels) For(platform string) Channels {
	some := Channels{}
	for name, releases := range l {
		suit := slices.DeleteFunc(slices.Clone(releases), func(r Release) bool { return !Suits(r.Build, platform) })
		if len(suit) > 0 {
			some[name] = suit
		}
	}
	return some
}

// platforms returns those that a store has builds for.
func platforms(builds []string) []string {
	seen := map[string]bool{}
	for _, b := range builds {
		if p := Platform(b); p != "" {
			seen[p] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// platformError is the error for a platform that a store has no builds for.
type platformError struct {
	platform string
	have     []string
}

func (e *platformError) Error() string {
	return fmt.Sprintf("the store has no build for platform %s; it has some for %s", e.platform, strings.Join(e.have, ", "))
}

func (e *platformError) Is(target error) bool { return target == ErrNoRelease }

// Hint says what to do.
func (e *platformError) Hint() string {
	return "name the platform of the game with --platform: the folder remembers it"
}

// platform returns whose builds a folder gets: of the platform that is asked for, or else of
// the one that it remembers, or else of this system.
func (f *Follower) platform(have Install, builds []string) (string, error) {
	p, known := cmp.Or(f.Platform, have.Platform, runtime.GOOS), platforms(builds)
	if len(known) == 0 || slices.Contains(known, p) {
		return p, nil
	}
	if f.Platform != "" || len(Suiting(builds, p)) == 0 {
		return "", &platformError{p, known}
	}
	return p, nil
}

// Resolve returns the build of a label for the platform of a folder, if there is one. dir may
// be "".
func (f *Follower) Resolve(dir string, builds []string, label string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if strings.Contains(label, platformMark) {
		return label, nil
	}
	have, err := ReadInstall(dir)
	if err != nil {
		return "", err
	}
	p, err := f.platform(have, builds)
	if err != nil {
		return "", err
	}
	if build := JoinPlatform(label, p); slices.Contains(builds, build) {
		f.on = p
		return build, nil
	}
	return label, nil
}

// ValidVersion reports whether a text is a version of a client: numbers with dots between,
// with or without a "v" before them, and anything after "-" or "+".
func ValidVersion(v string) bool {
	if len(v) > mostText {
		return false
	}
	for _, part := range strings.Split(numbers(v), ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// numbers is what of a version counts.
func numbers(v string) string {
	v = strings.TrimPrefix(v, "v")
	if i := strings.IndexAny(v, "-+"); i >= 0 {
		v = v[:i]
	}
	return v
}

// CompareVersions compares two versions by their numbers: 1.10 is later than 1.9, and 1.0 is 1.
// What is no version is earlier than all.
func CompareVersions(a, b string) int {
	if !ValidVersion(a) || !ValidVersion(b) {
		return cmp.Compare(order(ValidVersion(a)), order(ValidVersion(b)))
	}
	as, bs := strings.Split(numbers(a), "."), strings.Split(numbers(b), ".")
	for i := range max(len(as), len(bs)) {
		if c := compareNumbers(digits(as, i), digits(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func order(valid bool) int {
	if valid {
		return 1
	}
	return 0
}

func digits(parts []string, i int) string {
	if i < len(parts) {
		return strings.TrimLeft(parts[i], "0")
	}
	return ""
}

// compareNumbers compares digits of any number without zeroes before them.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
