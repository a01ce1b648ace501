package cli_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
)

// TestWrite: the keys of a command stand between those of all commands, and the list
// of problems ends while the count goes on.
func TestWrite(t *testing.T) {
	o := cli.NewResult("pack", struct {
		Entries int `json:"entries"`
	}{3})
	for range 10_001 {
		o.Add(cli.Of("a.pak", &codecs.Entry{Name: "x", Ordinal: 7}, &codecs.FormatError{Field: "data", Off: 9, Err: codecs.ErrCorrupt}))
	}
	var b strings.Builder
	if err := o.Write(&b, 1); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Command  string `json:"command"`
		ExitCode int    `json:"exit_code"`
		Entries  int    `json:"entries"`
		Count    int    `json:"problem_count"`
		Problems []struct {
			Archive, Path, Field, Cause string
			Offset, Ordinal             int
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Command != "pack" || got.ExitCode != 1 || got.Entries != 3 || got.Count != 10_001 || len(got.Problems) != 10_000 {
		t.Errorf("%s %d %d %d %d", got.Command, got.ExitCode, got.Entries, got.Count, len(got.Problems))
	}
	if p := got.Problems[0]; p.Archive != "a.pak" || p.Path != "x" || p.Field != "data" || p.Offset != 9 || p.Ordinal != 7 {
		t.Errorf("%+v", p)
	}
}

// TestJUnit: names that are markup, or control characters, leave XML that parses.
func TestJUnit(t *testing.T) {
	o := cli.NewResult("verify", struct{}{})
	bad := "\"<a>&\x00\x1b]]>.pak"
	o.Checked("sound.pak")
	o.Checked(bad)
	o.Add(cli.Of(bad, &codecs.Entry{Name: "</failure>"}, errors.New("]]> wrong\n")))
	var b strings.Builder
	if err := o.WriteJUnit(&b, false); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	s := got.Suite
	if s.Tests != 2 || s.Failures != 1 || s.Cases[0].Failure != "" || !strings.Contains(s.Cases[1].Failure, "</failure>: ]]> wrong") {
		t.Errorf("%+v\n%s", s, b.String())
	}
}
