package process

import (
	"runtime/debug"
	"testing"
)

func TestComplete(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	info := func(version string, settings ...string) *debug.BuildInfo {
		b := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			b.Settings = append(b.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return b
	}
	for _, tt := range []struct {
		name        string
		set         Build // by the linker
		info        *debug.BuildInfo
		short, text string
	}{
		{"release", Build{Version: "0.1.0", Commit: revision}, info("(devel)"),
			"0.1.0", "0.1.0 (commit 0123456789ab, go1.99, plan9/mips)"},
		{"working copy", Build{}, info("v0.1.1-0.20261122000000-0123456789ab+dirty", "vcs.revision", revision, "vcs.modified", "true"),
			"devel-0123456789ab+changes", "devel (commit 0123456789ab+changes, go1.99, plan9/mips)"},
		{"installed", Build{}, info("v0.1.0"), "0.1.0", "0.1.0 (go1.99, plan9/mips)"},
		{"changed release", Build{Version: "0.1.0", Commit: revision + "+changes"}, nil,
			"0.1.0", "0.1.0 (commit 0123456789ab+changes, go1.99, plan9/mips)"},
		{"nothing known", Build{}, info("(devel)"), "devel", "devel (go1.99, plan9/mips)"},
	} {
		b := tt.set.complete(tt.info)
		b.Go, b.OS, b.Arch = "go1.99", "plan9", "mips"
		if got := b.Short(); got != tt.short {
			t.Errorf("%s: short %q, want %q", tt.name, got, tt.short)
		}
		if got := b.String(); got != tt.text {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.text)
		}
	}
}

func TestCurrentIsComplete(t *testing.T) {
	if b := Version(); b.Version == "" || b.Go == "" || b.OS == "" || b.Arch == "" {
		t.Errorf("%+v", b)
	}
}
