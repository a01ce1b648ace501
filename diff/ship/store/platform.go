package store

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// platformMark stands between a label and a platform in the name of a build. No label has it.
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
