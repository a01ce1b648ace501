package update_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

// signedStore publishes builds 1 to n of one file each, and returns copies of the store
// as it was after each of them.
func signedStore(t *testing.T, key *delta.SecretKey, n int) (dir string, after []string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		label := string(rune('1' + i))
		publishWith(t, dir, label, folder{"a": []byte("build " + label)}, &publish.Options{Key: key})
		after = append(after, copyOf(t, dir))
	}
	return dir, after
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// takes brings a folder to the last build of a store, or to a label.
func takes(t *testing.T, from, dir, label string, opt update.RemoteOptions, now time.Time) error {
	t.Helper()
	r, err := update.OpenRemote(from, opt)
	if err != nil {
		return err
	}
	if now.IsZero() {
		now = time.Now()
	}
	r.SetClock(func() time.Time { return now }, func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
	u, plan, err := update.Prepare(t.Context(), r, dir, update.Options{Label: label, Registry: all.Registry()})
	if err != nil {
		return err
	}
	return errors.Join(u.Apply(t.Context(), plan, nil), u.Close())
}

func wantFile(t *testing.T, dir, want string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(got) != want {
		t.Errorf("the folder has %q, want %q (%v)", got, want, err)
	}
}

func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestRollback(t *testing.T) {
	key, pub := newKey(t)
	dir, after := signedStore(t, key, 3)
	at := t.TempDir()
	opt := update.RemoteOptions{Key: pub}
	wantErr(t, "current", takes(t, dir, at, "", opt, time.Time{}), nil)
	wantFile(t, at, "build 3")
	for _, old := range after[:2] {
		wantErr(t, "an earlier state", takes(t, old, at, "", opt, time.Time{}), trust.ErrRollback)
		wantErr(t, "an earlier state, without a key", takes(t, old, at, "", update.RemoteOptions{}, time.Time{}), trust.ErrRollback)
		wantErr(t, "an earlier state, of the first of two", takes(t, old, at, "", update.RemoteOptions{Key: pub, Others: []string{dir}}, time.Time{}), nil)
		wantFile(t, at, "build 3")
	}
	wantErr(t, "an earlier build of the list", takes(t, dir, at, "1", opt, time.Time{}), nil)
	wantFile(t, at, "build 1")
	opt.AllowRollback = true
	wantErr(t, "allowed", takes(t, after[1], at, "", opt, time.Time{}), nil)
	wantFile(t, at, "build 2")
	opt.AllowRollback = false
	wantErr(t, "the state that was gone back to", takes(t, after[1], at, "", opt, time.Time{}), nil)
	wantErr(t, "one before it", takes(t, after[0], at, "", opt, time.Time{}), trust.ErrRollback)
}

func TestFreeze(t *testing.T) {
	key, pub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	wantErr(t, "fresh", takes(t, dir, at, "", opt, time.Now().Add(publish.DefaultExpiry-time.Hour)), nil)
	later := time.Now().Add(publish.DefaultExpiry + time.Hour)
	wantErr(t, "expired", takes(t, dir, at, "", opt, later), trust.ErrExpired)
	allowed := opt
	allowed.AllowExpired = true
	wantErr(t, "expired, allowed", takes(t, dir, at, "", allowed, later), nil)
	if err := publish.Renew(t.Context(), dir, key, publish.SignOptions{Expiry: 2 * publish.DefaultExpiry}); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "renewed", takes(t, dir, at, "", opt, later), nil)
	wantErr(t, "the root has expired too", takes(t, dir, at, "", opt, later.Add(2*365*24*time.Hour)), trust.ErrExpired)
}

// Files of two states are no state.
func TestMixAndMatch(t *testing.T) {
	key, pub := newKey(t)
	dir, after := signedStore(t, key, 2)
	other := t.TempDir() // another store of the same owner
	for _, label := range []string{"1", "2"} {
		publishWith(t, other, label, folder{"a": []byte("other " + label)}, &publish.Options{Key: key})
	}
	opt := update.RemoteOptions{Key: pub}
	for _, name := range []string{"1.root.json", "2.snapshot.json", "2.targets.json", "timestamp.json"} {
		mixed := copyOf(t, dir)
		b, err := os.ReadFile(filepath.Join(other, "trust", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(mixed, "trust", name), b, 0o666); err != nil {
			t.Fatal(err)
		}
		err = takes(t, mixed, t.TempDir(), "", opt, time.Time{})
		if name == "1.root.json" { // the same keys and another second
			err = errors.Join(err, trust.ErrMixed)
		}
		wantErr(t, name+" of another store", err, trust.ErrMixed)
	}
	mixed := copyOf(t, dir) // the manifest of another build under the name of the last
	first, err := filepath.Glob(filepath.Join(after[0], "trust", "builds", "*.1.json"))
	last, err2 := filepath.Glob(filepath.Join(mixed, "trust", "builds", "*.2.json"))
	if err != nil || err2 != nil || len(first) != 1 || len(last) != 1 {
		t.Fatal(first, last, err, err2)
	}
	b, err := os.ReadFile(first[0])
	if err = errors.Join(err, os.WriteFile(last[0], b, 0o666)); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "another manifest", takes(t, mixed, t.TempDir(), "", opt, time.Time{}), trust.ErrMixed)
}

// A server that never ends is left after as many bytes as a file may have.
func TestEndlessData(t *testing.T) {
	key, pub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	files := http.FileServer(http.Dir(dir))
	for name, most := range map[string]int64{"/trust/1.root.json": trust.MostRoot, "/trust/2.root.json": trust.MostRoot, "/trust/timestamp.json": trust.MostTimestamp,
		"/trust/1.snapshot.json": 4 << 10, "/trust/1.targets.json": 4 << 10} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != name {
				files.ServeHTTP(w, r)
				return
			}
			page := make([]byte, 64<<10)
			for r.Context().Err() == nil {
				if _, err := w.Write(page); err != nil {
					return
				}
			}
		}))
		r, err := update.OpenRemote(server.URL, update.RemoteOptions{Key: pub})
		if err != nil {
			t.Fatal(err)
		}
		r.SetClock(time.Now, noSleep)
		_, err = r.Build(quick(t.Context()), "")
		if err == nil || r.Fetched() > 6*(most+128<<10) {
			t.Errorf("%s: %v after %d bytes", name, err, r.Fetched())
		}
		server.Close()
	}
}

func TestWrongKey(t *testing.T) {
	key, pub := newKey(t)
	other, otherPub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	at := t.TempDir()
	wantErr(t, "another key", takes(t, dir, at, "", update.RemoteOptions{Key: otherPub}, time.Time{}), trust.ErrSignature)
	wantErr(t, "no key: the first is pinned", takes(t, dir, at, "", update.RemoteOptions{}, time.Time{}), nil)
	wantErr(t, "the key of the store", takes(t, dir, at, "", update.RemoteOptions{Key: pub}, time.Time{}), nil)
	wantErr(t, "another key, of a folder that trusts", takes(t, dir, at, "", update.RemoteOptions{Key: otherPub}, time.Time{}), trust.ErrSignature)
	theirs, _ := signedStore(t, other, 2)
	wantErr(t, "another store", takes(t, theirs, at, "", update.RemoteOptions{}, time.Time{}), trust.ErrSignature)
	plain := t.TempDir()
	runPublish(t, plain, "1", folder{"a": []byte("unsigned")})
	if err := takes(t, plain, at, "", update.RemoteOptions{}, time.Time{}); err == nil {
		t.Error("a folder that trusts took a store without signatures")
	}
	wantFile(t, at, "build 1")
	if err := os.WriteFile(filepath.Join(at, trust.MemoryName), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "a memory that is damaged", takes(t, dir, at, "", update.RemoteOptions{}, time.Time{}), trust.ErrMetadata)
}

func rotate(t *testing.T, dir string, keys []*delta.SecretKey, c publish.RootChange) {
	t.Helper()
	if _, err := publish.Rotate(t.Context(), dir, keys, c, nil); err != nil {
		t.Fatal(err)
	}
}

func idOf(k *delta.PublicKey) string { return publish.TrustKey(k).ID() }

// TestRotatedAndRevoked: clients follow from the key that they know to the next, and take
// nothing by one that was revoked.
func TestRotatedAndRevoked(t *testing.T) {
	key, pub := newKey(t)
	next, nextPub := newKey(t)
	dir, after := signedStore(t, key, 2)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	wantErr(t, "before", takes(t, dir, at, "", opt, time.Time{}), nil)
	rotate(t, dir, []*delta.SecretKey{key, next}, publish.RootChange{Role: trust.RoleRoot, Add: []*delta.PublicKey{nextPub}, Remove: []string{idOf(pub)}})
	rotate(t, dir, []*delta.SecretKey{next}, publish.RootChange{Role: publish.RolePublish, Add: []*delta.PublicKey{nextPub}, Remove: []string{idOf(pub)}})
	wantErr(t, "a folder that trusts", takes(t, dir, at, "", opt, time.Time{}), nil)
	wantErr(t, "a new folder, the first key", takes(t, dir, t.TempDir(), "", opt, time.Time{}), nil)
	wantErr(t, "a new folder, the new key", takes(t, dir, t.TempDir(), "", update.RemoteOptions{Key: nextPub}, time.Time{}), nil)
	err := publishTree(t.Context(), dir, "3", folder{"a": []byte("build 3")}.write(t, t.TempDir()), 0, key)
	wantErr(t, "publishing with the key that was revoked", err, publish.ErrKeyRole)
	publishWith(t, dir, "3", folder{"a": []byte("build 3")}, &publish.Options{Key: next})
	wantErr(t, "a build by the new key", takes(t, dir, at, "", opt, time.Time{}), nil)
	wantFile(t, at, "build 3")

	// Who stole the old key publishes with it to a copy of the old store.
	stolen := after[1]
	publishWith(t, stolen, "9", folder{"a": []byte("evil")}, &publish.Options{Key: key})
	wantErr(t, "a build by the revoked key", takes(t, stolen, at, "", opt, time.Time{}), trust.ErrSignature)
	for _, name := range []string{"2.root.json", "3.root.json"} {
		b, err := os.ReadFile(filepath.Join(dir, "trust", name))
		if err = errors.Join(err, os.WriteFile(filepath.Join(stolen, "trust", name), b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	wantErr(t, "with all roots", takes(t, stolen, t.TempDir(), "", opt, time.Time{}), trust.ErrSignature)
	wantFile(t, at, "build 3")
}

// TestFastForward: who stole a key signs the largest version there is. When the key has
// been revoked clients go on.
func TestFastForward(t *testing.T) {
	key, pub := newKey(t)
	next, nextPub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	signer := []trust.Signer{trust.Signer(key.Key[:])}
	b, err := os.ReadFile(filepath.Join(dir, "trust", "timestamp.json"))
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := trust.ParseTimestamp(b)
	if err != nil {
		t.Fatal(err)
	}
	stamp.Version = 1 << 53
	forged := copyOf(t, dir)
	if b, err = trust.Sign(stamp, signer); err == nil {
		err = os.WriteFile(filepath.Join(forged, "trust", "timestamp.json"), b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	wantErr(t, "the largest version", takes(t, forged, at, "", opt, time.Time{}), nil)
	wantErr(t, "what the owner has", takes(t, dir, at, "", opt, time.Time{}), trust.ErrRollback)
	rotate(t, dir, []*delta.SecretKey{key, next}, publish.RootChange{Role: publish.RolePublish, Add: []*delta.PublicKey{nextPub}, Remove: []string{idOf(pub)}})
	wantErr(t, "after the key was revoked", takes(t, dir, at, "", opt, time.Time{}), nil)
}

// TestFastForwardOfTwo: where two keys publish, one of which was stolen, clients that saw
// what the other signed go on as well.
func TestFastForwardOfTwo(t *testing.T) {
	key, pub := newKey(t)
	second, secondPub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	rotate(t, dir, []*delta.SecretKey{key, second}, publish.RootChange{Role: publish.RolePublish, Add: []*delta.PublicKey{secondPub}})
	publishWith(t, dir, "2", folder{"a": []byte("build 2")}, &publish.Options{Key: second})
	wantErr(t, "by the second key", takes(t, dir, at, "", opt, time.Time{}), nil)
	stamp, err := trust.ParseTimestamp(read(t, dir, trust.TimestampName))
	if err != nil {
		t.Fatal(err)
	}
	stamp.Version = 1 << 53
	b, err := trust.Sign(stamp, []trust.Signer{trust.Signer(key.Key[:])})
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, trust.TimestampName), b, 0o666)); err != nil {
		t.Fatal(err)
	}
	rotate(t, dir, []*delta.SecretKey{key, second}, publish.RootChange{Role: publish.RolePublish, Remove: []string{idOf(pub)}})
	wantErr(t, "after the key was revoked", takes(t, dir, at, "", opt, time.Time{}), nil)
	publishWith(t, dir, "3", folder{"a": []byte("build 3")}, &publish.Options{Key: second})
	wantErr(t, "a build after that", takes(t, dir, at, "", opt, time.Time{}), nil)
	wantFile(t, at, "build 3")
}

// TestAddedKey: a key that is added takes none away, and lets nobody go back.
func TestAddedKey(t *testing.T) {
	key, pub := newKey(t)
	_, nextPub := newKey(t)
	dir, after := signedStore(t, key, 2)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	wantErr(t, "before", takes(t, dir, at, "", opt, time.Time{}), nil)
	rotate(t, dir, []*delta.SecretKey{key}, publish.RootChange{Role: publish.RolePublish, Add: []*delta.PublicKey{nextPub}})
	copyRoots(t, dir, after[0], 2)
	wantErr(t, "an earlier state with the new root", takes(t, after[0], at, "", opt, time.Time{}), trust.ErrRollback)
	wantFile(t, at, "build 2")
	wantErr(t, "the current one", takes(t, dir, at, "", opt, time.Time{}), nil)
}

func copyRoots(t *testing.T, from, to string, versions ...int64) {
	t.Helper()
	for _, n := range versions {
		name := trust.Name(trust.RoleRoot, n)
		if err := os.WriteFile(filepath.Join(to, name), read(t, from, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRootIsKept: a root counts from when it was seen, whatever comes after it.
func TestRootIsKept(t *testing.T) {
	key, pub := newKey(t)
	next, nextPub := newKey(t)
	dir, after := signedStore(t, key, 1)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	wantErr(t, "before", takes(t, dir, at, "", opt, time.Time{}), nil)
	rotate(t, dir, []*delta.SecretKey{key, next}, publish.RootChange{Role: publish.RolePublish, Add: []*delta.PublicKey{nextPub}, Remove: []string{idOf(pub)}})
	cut := copyOf(t, after[0])
	copyRoots(t, dir, cut, 2)
	wantErr(t, "the new root with the list by the old key", takes(t, cut, at, "", opt, time.Time{}), trust.ErrSignature)
	publishWith(t, after[0], "9", folder{"a": []byte("evil")}, &publish.Options{Key: key}) // who stole the old key
	wantErr(t, "a server that hides the root", takes(t, after[0], at, "", opt, time.Time{}), trust.ErrSignature)
	wantFile(t, at, "build 1")
	wantErr(t, "the store", takes(t, dir, at, "", opt, time.Time{}), nil)
}

// A page for guests of a network is no reason to trust somebody else.
func TestHintsOfTrust(t *testing.T) {
	key, pub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	wantErr(t, "before", takes(t, dir, at, "", opt, time.Time{}), nil)
	hint := func(page []byte) string {
		bad := copyOf(t, dir)
		name := filepath.Join(bad, trust.TimestampName)
		if err := errors.Join(os.Remove(name), os.WriteFile(name, page, 0o666)); err != nil {
			t.Fatal(err)
		}
		var h interface{ Hint() string }
		if err := takes(t, bad, at, "", opt, time.Time{}); !errors.As(err, &h) {
			t.Fatalf("%q: %v", page, err)
		}
		return h.Hint()
	}
	if got := hint([]byte("<html>Please log in</html>")); strings.Contains(got, trust.MemoryName) {
		t.Error("a page: ", got)
	}
	stamp, err := trust.ParseTimestamp(read(t, dir, trust.TimestampName))
	other, _ := newKey(t)
	b, err2 := trust.Sign(stamp, []trust.Signer{trust.Signer(other.Key[:])})
	if err = errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if got := hint(b); !strings.Contains(got, trust.MemoryName) {
		t.Error("by another key: ", got)
	}
}

// TestRenewTimestamp: a key that may sign the timestamp alone renews it as long as the rest
// is good for that long.
func TestRenewTimestamp(t *testing.T) {
	key, pub := newKey(t)
	stampKey, stampPub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	first := read(t, dir, trust.Name(trust.RoleRoot, 1))
	rotate(t, dir, []*delta.SecretKey{key}, publish.RootChange{Role: trust.RoleTimestamp, Add: []*delta.PublicKey{stampPub}})
	for days, want := range map[int]error{300: nil, 100: nil, 20: publish.ErrKeyRole} {
		aged := copyOf(t, dir)
		ageTargets(t, aged, key, time.Now().AddDate(0, 0, days))
		wantErr(t, fmt.Sprint(days, " days"), publish.Renew(t.Context(), aged, stampKey, publish.SignOptions{Root: first}), want)
		wantErr(t, "a client", takes(t, aged, t.TempDir(), "", update.RemoteOptions{Key: pub}, time.Time{}), nil)
		wantErr(t, "a key that may all", publish.Renew(t.Context(), aged, key, publish.SignOptions{}), nil)
		if at, err := publish.ReadTrust(t.Context(), aged, nil); err != nil || time.Until(at.Expires[trust.RoleTargets]) < 250*24*time.Hour {
			t.Errorf("%d days: %v, %v", days, at.Expires, err)
		}
	}
}

// ageTargets signs the targets of a store anew, so that they expire at another time.
func ageTargets(t *testing.T, dir string, key *delta.SecretKey, until time.Time) {
	t.Helper()
	at, err := publish.ReadTrust(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	version := at.Version[trust.RoleTargets]
	targets, err := trust.ParseTargets(read(t, dir, trust.Name(trust.RoleTargets, version)))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, m any) trust.Meta {
		b, err := trust.Sign(m, []trust.Signer{trust.Signer(key.Key[:])})
		if err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), b, 0o666)); err != nil {
			t.Fatal(err)
		}
		return trust.Meta{Version: version + 1, Length: int64(len(b)), Hashes: trust.Hashes(b)}
	}
	targets.Head = trust.NewHead(trust.RoleTargets, version+1, until)
	meta := write(trust.Name(trust.RoleTargets, version+1), targets)
	meta = write(trust.Name(trust.RoleSnapshot, version+1), &trust.Snapshot{Head: trust.NewHead(trust.RoleSnapshot, version+1, until), Meta: map[string]trust.Meta{"targets.json": meta}})
	write(trust.TimestampName, &trust.Timestamp{Head: trust.NewHead(trust.RoleTimestamp, at.Version[trust.RoleTimestamp]+1, time.Now().AddDate(0, 0, 10)), Meta: map[string]trust.Meta{"snapshot.json": meta}})
}

// TestLostKey: of three keys two must sign the root. One gets lost.
func TestLostKey(t *testing.T) {
	key, pub := newKey(t)
	second, secondPub := newKey(t)
	third, thirdPub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	wantErr(t, "before", takes(t, dir, at, "", opt, time.Time{}), nil)
	rotate(t, dir, []*delta.SecretKey{key, second}, publish.RootChange{Role: trust.RoleRoot, Add: []*delta.PublicKey{secondPub, thirdPub}, Threshold: 2})
	change := publish.RootChange{Role: trust.RoleRoot, Remove: []string{idOf(pub)}} // the key is lost
	draft, err := publish.Rotate(t.Context(), dir, []*delta.SecretKey{second}, change, nil)
	wantErr(t, "one of two keys", err, publish.ErrThreshold)
	if _, err := os.Stat(filepath.Join(dir, "trust", "3.root.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("it was written all the same")
	}
	if _, err := publish.Rotate(t.Context(), dir, []*delta.SecretKey{third}, publish.RootChange{}, draft); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "after it", takes(t, dir, at, "", opt, time.Time{}), nil)
	wantErr(t, "a root that was given", takes(t, dir, t.TempDir(), "", update.RemoteOptions{Root: read(t, dir, "trust/3.root.json")}, time.Time{}), nil)
	// The new root's own keys alone are not enough: the last one's must have signed too.
	thief, thiefPub := newKey(t)
	root, err := trust.ParseRoot(read(t, dir, "trust/3.root.json"))
	if err != nil {
		t.Fatal(err)
	}
	k := publish.TrustKey(thiefPub)
	root.Version, root.Keys = 4, map[string]trust.Key{k.ID(): k}
	for _, role := range trust.Roles() {
		root.Roles[role] = trust.Role{KeyIDs: []string{k.ID()}, Threshold: 1}
	}
	b, err := trust.Sign(root, []trust.Signer{trust.Signer(thief.Key[:])})
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "trust", "4.root.json"), b, 0o666)); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "a root by nobody that is trusted", takes(t, dir, at, "", opt, time.Time{}), trust.ErrSignature)
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOldSignatures: a store that was signed before there was metadata is read, and
// upgraded by the next publication.
func TestOldSignatures(t *testing.T) {
	key, pub := newKey(t)
	dir, _ := signedStore(t, key, 1)
	oldWay(t, dir, key)
	at, opt := t.TempDir(), update.RemoteOptions{Key: pub}
	wantErr(t, "the old way", takes(t, dir, at, "", opt, time.Time{}), nil)
	if update.Remembers(at) {
		t.Error("the folder trusts what nobody has signed")
	}
	publishWith(t, dir, "2", folder{"a": []byte("build 2")}, &publish.Options{Key: key})
	for _, label := range []string{"1", "2"} {
		wantErr(t, "upgraded", takes(t, dir, at, label, opt, time.Time{}), nil)
		wantFile(t, at, "build "+label)
	}
	if err := os.RemoveAll(filepath.Join(dir, "trust")); err != nil {
		t.Fatal(err)
	}
	if err := takes(t, dir, at, "", opt, time.Time{}); err == nil {
		t.Error("a store that lost its metadata is taken as one of the old way")
	}
	at = t.TempDir()
	wantErr(t, "a new folder, metadata that is hidden", takes(t, dir, at, "", opt, time.Time{}), store.ErrCorrupt)
	wantErr(t, "the same without a key", takes(t, dir, at, "", update.RemoteOptions{}, time.Time{}), store.ErrCorrupt)
	if _, err := os.Stat(filepath.Join(at, "a")); err == nil {
		t.Error("it was installed")
	}
}

// oldWay makes a store one that was signed before there was metadata.
func oldWay(t *testing.T, dir string, key *delta.SecretKey) {
	t.Helper()
	b := bytes.Replace(read(t, dir, store.IndexName), []byte(`"trust"`), []byte(`"other"`), 1)
	err := os.WriteFile(filepath.Join(dir, store.IndexName), b, 0o666)
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, store.IndexName+store.Signed), []byte(key.Sign(b, store.IndexName)), 0o666))
	if err = errors.Join(err, os.RemoveAll(filepath.Join(dir, "trust"))); err != nil {
		t.Fatal(err)
	}
}

// TestPruneSigned: what is pruned is signed no more, and metadata that was replaced goes.
func TestPruneSigned(t *testing.T) {
	key, pub := newKey(t)
	dir, _ := signedStore(t, key, 4)
	if _, err := publish.Prune(t.Context(), dir, 2, 0, key, nil); err != nil {
		t.Fatal(err)
	}
	s, err := publish.ReadTrust(t.Context(), dir, nil)
	if err != nil || strings.Join(s.Builds, " ") != "3 4" {
		t.Errorf("%v, %v", s, err)
	}
	entries, err := filepath.Glob(filepath.Join(dir, "trust", "*.json"))
	if err != nil || len(entries) != 4 {
		t.Errorf("files of metadata %q, %v", entries, err)
	}
	at := t.TempDir()
	wantErr(t, "pruned", takes(t, dir, at, "1", update.RemoteOptions{Key: pub}, time.Time{}), store.ErrNoBuild)
	wantErr(t, "what stays", takes(t, dir, at, "3", update.RemoteOptions{Key: pub}, time.Time{}), nil)
}
