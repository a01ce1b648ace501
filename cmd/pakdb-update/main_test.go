package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// publishBuild publishes a build of one file.
func publishBuild(t *testing.T, dir, label, text string, key *delta.SecretKey) {
	t.Helper()
	from := t.TempDir()
	write(t, filepath.Join(from, "a"), text)
	files, err := delta.OpenFiles([]string{from})
	if err != nil {
		t.Fatal(err)
	}
	_, err = publish.Publish(t.Context(), dir, label, files.Inputs, &publish.Options{Registry: &codecs.Registry{}, Key: key})
	if err := errors.Join(err, files.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	write(t, at("key.pub"), key.Public().String())
	publishBuild(t, at("store"), "1", "old", key)
	if err := os.CopyFS(at("yesterday"), os.DirFS(at("store"))); err != nil {
		t.Fatal(err)
	}
	publishBuild(t, at("store"), "2", "new", key)
	from, game := at("store"), at("game")
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"help", []string{"-h"}, exitOK},
		{"version", []string{"-version"}, exitOK},
		{"no folder", []string{"-from", from}, exitUsage},
		{"no store", []string{game}, exitUsage},
		{"unknown flag", []string{"-x"}, exitUsage},
		{"a store that is not there", []string{game, "-from", at("absent")}, exitUsage},
		{"a folder that is no store", []string{game, "-from", dir}, exitProblems},
		{"no such build", []string{game, "-from", from, "-build", "9"}, exitUsage},
		{"no such key", []string{game, "-from", from, "-trust", at("absent")}, exitUsage},
		{"dry", []string{"-n", game, "-from", from}, exitOK},
		{"a rate", []string{"-n", game, "-from", from, "-limit-rate", "500K"}, exitOK},
		{"no rate", []string{"-n", game, "-from", from, "-limit-rate", "5x"}, exitUsage},
		{"verify what is not there", []string{"verify", game, "-from", from}, exitUsage},
		{"update", []string{game, "-from", from, "-trust", at("key.pub"), "-json"}, exitOK},
		{"verify", []string{"verify", game, "-from", from}, exitOK},
		{"verify against another build", []string{"verify", game, "-from", from, "-build", "1"}, exitProblems},
		{"preload an old one", []string{at("old"), "-from", from, "-build", "1", "-fetch-only"}, exitOK},
		{"preload from nowhere", []string{at("old"), "-fetch-only"}, exitUsage},
		{"what was preloaded", []string{at("old"), "-build", "1", "-json"}, exitOK},
		{"once more", []string{at("old"), "-build", "1"}, exitUsage},
		{"rolled back", []string{game, "-from", at("yesterday")}, exitProblems},
		{"rolled back, allowed", []string{game, "-from", at("yesterday"), "-allow", "rollback"}, exitOK},
		{"rolled back, another name", []string{game, "-from", at("yesterday"), "-allow", "back"}, exitUsage},
	} {
		if got := run(t.Context(), c.args); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
	}
	if err := os.WriteFile(filepath.Join(game, store.InstallName), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := run(t.Context(), []string{game, "-from", from}); got != exitProblems { // trying again does not help
		t.Errorf("a folder whose channel cannot be read: exit code %d", got)
	}
	if err := os.Remove(filepath.Join(game, store.InstallName)); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(game, "a")); err != nil || string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if got := run(stopped, []string{game, "-from", from}); got != exitInterrupted {
		t.Errorf("interrupted: exit code %d", got)
	}
}

// TestEvents: each line is JSON with the name of an event.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	publishBuild(t, dir, "1", "text", nil)
	var b bytes.Buffer
	o := &options{dir: t.TempDir(), from: list{dir}}
	if err := o.run(t.Context(), &events{w: &b, json: true}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(b.String()) {
		var e struct{ Event string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Event == "" {
			t.Errorf("%q: %v", line, err)
		}
		if len(names) == 0 || names[len(names)-1] != e.Event {
			names = append(names, e.Event)
		}
	}
	if got := strings.Join(names, " "); !regexp.MustCompile(`^(progress )?plan (progress )?done$`).MatchString(got) {
		t.Errorf("events %q", got)
	}
}

// TestVerifyEvents: what there is none of is an empty list.
func TestVerifyEvents(t *testing.T) {
	dir := t.TempDir()
	publishBuild(t, dir, "1", "text", nil)
	var b bytes.Buffer
	o := &options{dir: t.TempDir(), from: list{dir}, verify: true}
	if err := o.run(t.Context(), &events{w: &b, json: true}); !errors.Is(err, errDiffers) {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"missing":["a"],"gone":[],"unknown":[],"altered":[]`) {
		t.Error(b.String())
	}
}

// TestChannelEvent: a launcher learns what the folder follows, and why it has to wait.
func TestChannelEvent(t *testing.T) {
	dir := t.TempDir()
	publishBuild(t, dir, "1", "text", nil)
	publishBuild(t, dir, "2", "more", nil)
	if err := publish.Promote(t.Context(), dir, "2", publish.Rollout{Min: "3.1"}, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]string{
		"3.0":  `{"channel":"stable","event":"channel","not_yet":[{"build":"2","why":"it needs version 3.1 or later of the program that updates, and this is 3.0"}]}`,
		"3.10": `{"channel":"stable","event":"channel","not_yet":[]}`,
	} {
		var b bytes.Buffer
		o := &options{dir: t.TempDir(), from: list{dir}, client: client}
		if err := o.run(t.Context(), &events{w: &b, json: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("client %s: %s", client, b.String())
		}
	}
	t.Setenv("PAKDB_CLIENT_VERSION", "x")
	if got := run(t.Context(), []string{t.TempDir(), "-from", dir}); got != exitUsage {
		t.Errorf("exit code %d", got)
	}
	t.Setenv("PAKDB_CLIENT_VERSION", "")
	if got := run(t.Context(), []string{t.TempDir(), "-from", dir, "-channel", "beta"}); got != exitUsage {
		t.Errorf("exit code %d", got)
	}
}

// TestPartsEvent: a launcher learns which parts there are, and verify does not miss those that
// the folder does without.
func TestPartsEvent(t *testing.T) {
	dir, game, from := t.TempDir(), t.TempDir(), t.TempDir()
	for _, name := range []string{"a", "fr", "de"} {
		write(t, filepath.Join(from, name), name)
	}
	files, err := delta.OpenFiles([]string{from})
	if err != nil {
		t.Fatal(err)
	}
	_, err = publish.Publish(t.Context(), dir, "1", files.Inputs, &publish.Options{Parts: []publish.PartFiles{{Name: "fr", Pattern: "fr"}, {Name: "de", Pattern: "de"}}})
	if err := errors.Join(err, files.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{game, "-from", dir, "-parts", "-it"}, exitUsage},
		{[]string{game, "-from", dir, "-parts", ""}, exitUsage},
		{[]string{game, "-from", dir, "-parts", "fr,-de", "-parts", "-fr"}, exitUsage},
		{[]string{game, "-from", dir, "-parts=-all,de"}, exitOK},
		{[]string{"verify", game, "-from", dir}, exitOK},
		{[]string{"verify", game, "-from", dir, "-parts", "all"}, exitProblems},
		{[]string{"verify", game, "-from", dir, "-parts", "-de"}, exitProblems},
	} {
		if got := run(t.Context(), c.args); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.args, got, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(game, "fr")); err == nil {
		t.Error("fr is there")
	}
	var b bytes.Buffer
	o := &options{dir: game, from: list{dir}}
	if err := o.run(t.Context(), &events{w: &b, json: true}); err != nil {
		t.Fatal(err)
	}
	const want = `{"event":"parts","gone":[],"parts":[{"name":"fr","wanted":false,"files":1,"size":2},{"name":"de","wanted":true,"files":1,"size":2}]}`
	if !strings.Contains(b.String(), want+"\n") {
		t.Error(b.String())
	}
}

// TestPlatform: a launcher names the platform of the game, and the folder remembers it.
func TestPlatform(t *testing.T) {
	dir, game := t.TempDir(), t.TempDir()
	publishBuild(t, dir, "1@ps5", "p", nil)
	publishBuild(t, dir, "1@xbox", "x", nil)
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{game, "-from", dir, "-platform", "a/b"}, exitUsage},
		{[]string{game, "-from", dir, "-platform", "ps4"}, exitUsage},
		{[]string{game, "-from", dir}, exitUsage}, // of this system there is none
		{[]string{game, "-from", dir, "-platform", "ps5"}, exitOK},
		{[]string{game, "-from", dir}, exitOK},
		{[]string{"verify", game, "-from", dir}, exitOK},
		{[]string{"verify", game, "-from", dir, "-platform", "xbox"}, exitProblems},
	} {
		if got := run(t.Context(), c.args); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.args, got, c.want)
		}
	}
	if b, err := os.ReadFile(filepath.Join(game, "a")); err != nil || string(b) != "p" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestControl(t *testing.T) {
	r, err := update.OpenRemote(t.TempDir(), update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	stopped := false
	control(strings.NewReader("pause\n\nresume\nrate 500K\nrate 0\nrate x\nfly\nstop\npause\n"), r, &events{w: &b, json: true}, func() { stopped = true })
	if got := regexp.MustCompile(`"event":"\w+"`).FindAllString(b.String(), -1); !stopped || len(got) != 4 {
		t.Errorf("stopped %t, events %q", stopped, got)
	}
}

func TestExitCode(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "write", Path: "a.pak", Err: err} }
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, exitOK},
		{errDiffers, exitProblems},
		{fmt.Errorf("x: %w", update.ErrRollback), exitProblems},
		{update.ErrExpired, exitProblems},
		{store.ErrCorrupt, exitProblems},
		{store.ErrNoBuild, exitUsage},
		{at(syscall.ENOENT), exitUsage},
		{at(syscall.ENOSPC), exitFailed},
		{update.ErrHeld, exitFailed},
		{errors.New("unheard of"), exitFailed},
		{context.Canceled, exitInterrupted},
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, exitPipe},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
}

// TestStaysSmall: no catalog, no SQL, no command line library.
func TestStaysSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	if bad := regexp.MustCompile(`(?m)^(modernc|database/sql|github.com/spf13|pakdb/(schema|query|indexer|codecs/(all|gpak))).*$`).FindAll(out, -1); bad != nil {
		t.Errorf("depends on %s", bytes.Join(bad, []byte(" ")))
	}
}
