package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version tells what was built, and with what.
func version() string {
	return fmt.Sprintf("%s %s %s/%s", release(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// release comes from the build: the module's version, or the commit.
func release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	v := info.Main.Version
	if rev := settings["vcs.revision"]; rev != "" && (v == "" || v == "(devel)") {
		v = "devel-" + rev[:min(12, len(rev))]
		if settings["vcs.modified"] == "true" {
			v += "+changes"
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v
}
