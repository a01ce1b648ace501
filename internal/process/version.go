package process

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// What scripts/release sets with the linker's -X. Other builds leave them empty.
var (
	released string // as "0.1.0"
	commit   string // of 40 hex digits, with "+changes" if the sources differed from it
)

// Build is what a program was built from, and with. Its JSON is an interface:
// fields are added, never changed.
type Build struct {
	Version  string `json:"version"`            // "devel" if it is no release
	Commit   string `json:"commit,omitempty"`   // in full; "" if unknown
	Modified bool   `json:"modified,omitempty"` // the sources differed from the commit
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Version returns the build of the running program.
func Version() Build {
	b := Build{Version: released, Commit: commit, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, _ := debug.ReadBuildInfo()
	return b.complete(info)
}

// complete returns b with what the linker did not set: the version under which the
// module was installed, or the commit of a working copy. info may be nil.
func (b Build) complete(info *debug.BuildInfo) Build {
	settings, installed := map[string]string{}, ""
	if info != nil {
		installed, _ = strings.CutPrefix(info.Main.Version, "v")
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	revision := settings["vcs.revision"]
	// A working copy has a version that was made up from its last tag.
	if b.Version == "" && revision == "" && installed != "(devel)" {
		b.Version = installed
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	if b.Commit == "" {
		b.Commit, b.Modified = revision, settings["vcs.modified"] == "true"
	} else {
		b.Commit, b.Modified = strings.CutSuffix(b.Commit, "+changes")
	}
	return b
}

// Short returns the version of a release, and the commit of any other build, as
// "devel-0123456789ab+changes".
func (b Build) Short() string {
	if b.Version != "devel" || b.Commit == "" {
		return b.Version
	}
	return "devel-" + b.revision()
}

// revision returns the first twelve digits of the commit, and whether sources
// differed from it.
func (b Build) revision() string {
	text := b.Commit[:min(12, len(b.Commit))]
	if b.Modified {
		text += "+changes"
	}
	return text
}

// String returns the build in one line, for people.
func (b Build) String() string {
	from := ""
	if b.Commit != "" {
		from = "commit " + b.revision() + ", "
	}
	return fmt.Sprintf("%s (%s%s, %s/%s)", b.Version, from, b.Go, b.OS, b.Arch)
}
