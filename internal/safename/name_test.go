package safename_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/internal/safename"
)

func TestName(t *testing.T) {
	for entry, want := range map[string]string{
		"Calligraphy/Curve.directory":        "Calligraphy/Curve.directory",
		"../../../Game/Content/A.uasset":     "Game/Content/A.uasset",
		"/etc/passwd":                        "etc/passwd",
		`C:\Windows\system32\evil.dll`:       "Windows/system32/evil.dll",
		"D:/BA/Content/x":                    "BA/Content/x",
		`..\..\evil`:                         "evil",
		"a/../b":                             "a/b",
		"a/./b//c":                           "a/b/c",
		"":                                   "_",
		"..":                                 "_",
		"/":                                  "_",
		"NUL":                                "_NUL",
		"a/con.txt":                          "a/_con.txt",
		"com1 .x":                            "_com1 .x",
		"lpt9":                               "_lpt9",
		"COM\u00b2.txt":                      "_COM\u00b2.txt",
		"csi\u009b2J":                        "csi%C2%9B2J",
		"evil\u202etxt.exe":                  "evil%E2%80%AEtxt.exe",
		"a. ":                                "a.%20",
		"a...":                               "a..%2E",
		"a:b":                                "a%3Ab",
		"what?*<>|\"":                        "what%3F%2A%3C%3E%7C%22",
		"tab\there\x00\x7f":                  "tab%09here%00%7F",
		"bad\xff\xfeutf8":                    "bad%FF%FEutf8",
		"Ünïcödé/日本":                         "Ünïcödé/日本",
		"../out_evil/x":                      "out_evil/x",
		"&Resource/x":                        "&Resource/x",
		"..a/b..":                            "..a/b.%2E",
		"...":                                "..%2E",
		strings.Repeat("x", 300) + "/y":      strings.Repeat("x", 240) + "/y",
		strings.Repeat("x", 239) + " yyyyyy": strings.Repeat("x", 239) + "%20", // cut where a space comes to be the end
		strings.Repeat("a/", 32000) + "x":    strings.Repeat("a/", 64) + "x",
		strings.Repeat(strings.Repeat("d", 200)+"/", 20) + "x": strings.Repeat(strings.Repeat("d", 200)+"/", 10) + "x",
		`\\server\share\file`: "server/share/file",
		`\\?\C:\x`:            "%3F/C%3A/x",
	} {
		if got := safename.Name(entry); got != want {
			t.Errorf("Name(%q) = %q, want %q", entry, got, want)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"a/b", "../x", `C:\y`, "NUL.txt", "\xff", "a."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		name := safename.Name(entry)
		if !filepath.IsLocal(filepath.FromSlash(name)) || !fs.ValidPath(name) {
			t.Errorf("Name(%q) = %q leaves its folder", entry, name)
		}
		for _, part := range strings.Split(name, "/") {
			if strings.ContainsAny(part, "<>:\"|?*\\\x00") || strings.TrimRight(part, ". ") != part || len(part) > 255 {
				t.Errorf("Name(%q) = %q is not portable", entry, name)
			}
		}
	})
}

// What Check refuses, and what it says of it.
func TestCheck(t *testing.T) {
	for name, want := range map[string]string{
		"Paks/Game.pak": "", "&Resource/x": "", "..a/b": "", "Ünïcödé/日本": "", ".hidden": "", "a b/c~2": "",
		"": "empty", "../a": "the part ..", "a/./b": "the part .", "a//b": "empty part", "a/": "empty part", "/a": "absolute",
		"C:/a": "drive", "C:a": "characters", `a\b`: "backslash", "NUL": "device", "a/aux.txt": "device", "com1 .x": "device", "COM\u00b2.txt": "device",
		"a.": "dot or a space", "a /b": "dot or a space", "...": "dot or a space", "a\x00": "control", "a\nb": "control", "csi\u009b2J": "control",
		"evil\u202etxt.exe": "turn text", "bad\xff": "UTF-8", "what?": "characters",
		strings.Repeat("x", 244):                               "",
		strings.Repeat("x", 245):                               "more than 244 bytes",
		strings.Repeat("x", 3000):                              "more than 244 bytes",
		strings.Repeat("abcdefghi/", 250) + "x":                "more than 64 folders",
		strings.Repeat(strings.Repeat("d", 200)+"/", 11) + "x": "more than 2048 bytes",
	} {
		err := safename.Check(name)
		if (err == nil) != (want == "") || err != nil && (!errors.Is(err, safename.ErrUnsafe) || !strings.Contains(err.Error(), want)) {
			t.Errorf("Check(%q) = %v, want %q", name, err, want)
		}
	}
}

// Names that are one file somewhere are not in one set.
func TestSet(t *testing.T) {
	for _, tt := range []struct {
		names string
		ok    bool
	}{
		{"a b A/c a/d", false}, {"x/c X/d", true}, {"a A", false}, {"ſ s", false}, {"σ ς", false}, {"\u212a k", false},
		{"a a/b", false}, {"a/b a", false}, {"A/B/c a/b", false}, {"a/b/c a/b/d a/e", true}, {"a a", false},
	} {
		var s safename.Set
		var err error
		for _, name := range strings.Fields(tt.names) {
			err = errors.Join(err, s.Add(name))
		}
		if (err == nil) != tt.ok {
			t.Errorf("%q: %v", tt.names, err)
		}
	}
}

// Check takes what Name leaves alone, and all that Name returns.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"a/b", "../x", `C:\y`, "NUL.txt", "\xff", "a."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		if err := safename.Check(safename.Name(entry)); err != nil {
			t.Errorf("Name(%q) = %q: %v", entry, safename.Name(entry), err)
		}
		if err := safename.Check(entry); (err == nil) != (safename.Name(entry) == entry) {
			t.Errorf("Check(%q) = %v, and Name changes it to %q", entry, err, safename.Name(entry))
		}
	})
}
