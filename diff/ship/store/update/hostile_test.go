//go:build linux

package update_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// mostMemory is how much a client may take, whatever the store says.
const mostMemory = 256 << 20

// childOf names the store for a process that updates a folder and says what that took.
const childOf = "PAKDB_TEST_UPDATE_FROM"

// runChild updates the folder at hand.
func runChild() int {
	var opt update.RemoteOptions
	if text := os.Getenv(childOf + "_KEY"); text != "" {
		key, err := delta.ParsePublicKey(text)
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		opt.Key = key
	}
	err := childUpdate(opt)
	status, _ := os.ReadFile("/proc/self/status") // rusage counts what the parent had
	_, most, _ := strings.Cut(string(status), "VmHWM:")
	most, _, _ = strings.Cut(strings.TrimSpace(most), " ")
	fmt.Printf("%s error: %v\n", most, err)
	return 0
}

func childUpdate(opt update.RemoteOptions) error {
	ctx := context.Background()
	r, err := update.OpenRemote(os.Getenv(childOf), opt)
	if err != nil {
		return err
	}
	r.SetClock(time.Now, noSleep)
	u, plan, err := update.Prepare(ctx, r, ".", update.Options{Registry: all.Registry()})
	if err != nil {
		return err
	}
	defer func() { _ = u.Close() }()
	return u.Apply(ctx, plan, nil)
}

// inChild updates a folder in a process of its own: the text of the error, and what
// the process took.
func inChild(t *testing.T, from, key, dir string) (text string, memory int64, took time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), childOf+"="+from, childOf+"_KEY="+key, "GOMEMLIMIT=", "GOGC=")
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	most, text, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	memory, err = strconv.ParseInt(most, 10, 64)
	if err != nil {
		t.Fatalf("%.2000s", out)
	}
	return text, memory << 10, time.Since(start)
}

// Stores of some kilobytes that ask for gigabytes: a clear error, soon, in little
// memory, and nothing is left in the folder but what was there.
func TestHostileStores(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of their own, whose memory is measured")
	}
	for name, h := range testkit.SomeOf(update.HostileStores(), 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, to := t.TempDir(), t.TempDir()
			h.Make(dir)
			folder{"mine.txt": []byte("mine"), "a": []byte("b")}.write(t, to)
			text, memory, took := inChild(t, dir, "", to)
			if !strings.Contains(text, h.Want) || strings.Contains(text, "error: <nil>") && h.Want != "" {
				t.Errorf("%.300s; want %q", text, h.Want)
			}
			if memory > mostMemory {
				t.Errorf("%d MiB, %v", memory>>20, took)
			}
			same(t, "the folder", readFolder(t, to), folder{"mine.txt": []byte("mine"), "a": []byte("b")})
			t.Logf("%d KiB of store, %d MiB, %v: %.200s", sizeOfFolder(t, dir)>>10, memory>>20, took.Round(time.Millisecond), text)
		})
	}
}

func sizeOfFolder(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			n += st.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A server that packs what nobody asked it to pack: a gigabyte of spaces in a
// megabyte, also as a signature.
func TestGzipBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of their own, whose memory is measured")
	}
	_, pub := newKey(t)
	var spaces bytes.Buffer
	z := gzip.NewWriter(&spaces)
	if _, err := z.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, below := range map[string]string{"index": "/builds/index.json", "signature": "/builds/index.json.minisig", "object": "/m/"} {
		for _, key := range []string{"", pub.String()} {
			t.Run(fmt.Sprintf("%s/%t", name, key != ""), func(t *testing.T) {
				dir, to := t.TempDir(), t.TempDir()
				runPublish(t, dir, "1", folder{"a": []byte("a")})
				folder{"builds/index.json.minisig": []byte("no")}.write(t, dir)
				files := http.FileServer(http.Dir(dir))
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					if !strings.HasPrefix(req.URL.Path, below) {
						files.ServeHTTP(w, req)
						return
					}
					w.Header().Set("Content-Encoding", "gzip")
					for range 1 << 10 { // one after the other they are the gzip of all
						if _, err := w.Write(spaces.Bytes()); err != nil {
							return
						}
					}
				}))
				defer server.Close()
				text, memory, took := inChild(t, server.URL, key, to)
				if memory > mostMemory || key == "" && name != "signature" && !strings.Contains(text, "Content-Encoding") {
					t.Errorf("%d MiB, %v: %.300s", memory>>20, took, text)
				}
				if got := readFolder(t, to); key != "" && len(got) > 0 {
					t.Errorf("%d files", len(got))
				}
			})
		}
	}
}
