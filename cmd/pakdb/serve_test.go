package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// serving starts "pakdb serve" and returns its address, and how it is ended: by the signal of
// Ctrl-C, after which it returns the exit code.
func serving(t *testing.T, dir string, args ...string) (address string, end func() int) {
	t.Helper()
	cmd := exec.Command("pakdb", append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(errs)
	for address == "" && lines.Scan() {
		address = regexp.MustCompile(`http://[^ ]+/`).FindString(lines.Text())
	}
	if address == "" {
		t.Fatal("it tells no address")
	}
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	return address, func() int {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
}

func TestServeDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	address, end := serving(t, dir, "--demo")
	get := func(path string) string {
		t.Helper()
		got, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = got.Body.Close() }()
		body, err := io.ReadAll(got.Body)
		if err != nil || got.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v %s", path, got.Status, err, body)
		}
		return string(body)
	}
	var builds struct{ Builds []struct{ Build string } }
	if err := json.Unmarshal([]byte(get("builds.json")), &builds); err != nil || len(builds.Builds) != 2 {
		t.Errorf("%+v: %v", builds, err)
	}
	if rows := get("b/1.1/tree/Calligraphy.json"); !strings.Contains(rows, `"Powers"`) {
		t.Errorf("the folder %s", rows)
	}
	if text := get("b/1.1/file/Calligraphy.sip/0/meaning.json"); !strings.Contains(text, "children") {
		t.Errorf("a content %s", text)
	}
	if rows := get("sql.json?sql=SELECT+*+FROM+diff('1.0','1.1')"); !strings.Contains(rows, "renamed") {
		t.Errorf("SQL with the functions of the program: %s", rows)
	}
	slow := make(chan struct{})
	go func() {
		defer close(slow)
		if got, err := http.Get(address + "sql.json?sql=WITH+RECURSIVE+n(i)+AS+(SELECT+1+UNION+ALL+SELECT+i%2B1+FROM+n)+SELECT+count(*)+FROM+n"); err == nil {
			_ = got.Body.Close()
		}
	}()
	time.Sleep(200 * time.Millisecond)
	if code := end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	<-slow
	if left, err := filepath.Glob(filepath.Join(dir, "pakdb-demo-*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
