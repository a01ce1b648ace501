package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version comes from the build: the module's version, or the commit.
func version() string {
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
	return fmt.Sprintf("%s %s %s/%s", v, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
