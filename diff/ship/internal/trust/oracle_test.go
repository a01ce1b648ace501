package trust_test

import (
	"crypto"
	"crypto/ed25519"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/config"
	"github.com/theupdateframework/go-tuf/v2/metadata/updater"

	"pakdb/diff/ship/internal/trust"
)

// served gives go-tuf's client the metadata of a store.
type served map[string][]byte

func (s served) DownloadFile(url string, _ int64, _ time.Duration) ([]byte, error) {
	if b, ok := s[trust.Folder+path.Base(url)]; ok {
		return b, nil
	}
	return nil, &metadata.ErrDownloadHTTP{StatusCode: http.StatusNotFound, URL: url}
}

// oracle is go-tuf's client with a memory: the root that it began with, and a folder.
type oracle struct {
	root []byte
	dir  string
}

// follow does what [follow] does, by go-tuf.
func (o oracle) follow(files map[string][]byte) error {
	cfg, err := config.New("https://store.test/trust", o.root)
	if err != nil {
		return err
	}
	cfg.Fetcher, cfg.LocalMetadataDir, cfg.LocalTargetsDir = served(files), o.dir, o.dir
	u, err := updater.New(cfg)
	if err != nil {
		return err
	}
	u.UnsafeSetRefTime(day)
	return u.Refresh()
}

// askOracle returns go-tuf's answer to a state of [TestWorkflow], and false if it may differ.
// It has a memory only if going back is the question. As it keeps its own file of a version
// that it has, timestamp and snapshot are then newer.
func askOracle(t *testing.T, name string, s *state, back bool) (accepted, counts bool) {
	t.Helper()
	first := newState()
	o := oracle{first.files(t)[trust.Name(trust.RoleRoot, 1)], t.TempDir()}
	if back {
		if err := o.follow(first.files(t)); err != nil {
			t.Fatal(err)
		}
		for _, role := range []string{trust.RoleTimestamp, trust.RoleSnapshot} {
			if s.version[role] == first.version[role] {
				s.version[role]++
			}
		}
	}
	// go-tuf needs no lengths, refuses other kinds of keys, takes version 0 of a timestamp, and
	// metadata in the second it expires.
	differs := []string{"a length that is missing", "a kind of key that nobody knows", "timestamp of version 0"}
	return o.follow(s.files(t)) == nil, !slices.Contains(differs, name) && !strings.HasSuffix(name, " expires now")
}

// TestTheirMetadata: what go-tuf writes is accepted, and not with a byte changed.
func TestTheirMetadata(t *testing.T) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	by, err := signature.LoadSigner(private, crypto.Hash(0))
	if err != nil {
		t.Fatal(err)
	}
	key, err := metadata.KeyFromPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	until := day.AddDate(0, 1, 0)
	root, targets := metadata.Root(until), metadata.Targets(until)
	for _, role := range trust.Roles() {
		if err := root.Signed.AddKey(key, role); err != nil {
			t.Fatal(err)
		}
	}
	manifest := metadata.TargetFile()
	if manifest, err = manifest.FromBytes("builds/1.0.json", []byte("{}"), "sha256"); err != nil {
		t.Fatal(err)
	}
	targets.Signed.Targets["builds/1.0.json"] = manifest
	files := map[string][]byte{}
	named := func(role string, text []byte) map[string]*metadata.MetaFiles {
		files[trust.Name(role, 1)] = text
		return map[string]*metadata.MetaFiles{role + ".json": {Version: 1, Length: int64(len(text)), Hashes: metadata.Hashes{"sha256": hashOf(t, text)}}}
	}
	files[trust.Name(trust.RoleRoot, 1)] = theirs(t, root, by)
	snapshot, timestamp := metadata.Snapshot(until), metadata.Timestamp(until)
	snapshot.Signed.Meta = named(trust.RoleTargets, theirs(t, targets, by))
	timestamp.Signed.Meta = named(trust.RoleSnapshot, theirs(t, snapshot, by))
	files[trust.TimestampName] = theirs(t, timestamp, by)
	if _, err := follow(files, nil, nil); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if name == trust.Name(trust.RoleRoot, 1) {
			continue // go-tuf panics on a root with another key
		}
		for at := 0; at < len(text); at += 7 {
			changed := append([]byte(nil), text...)
			changed[at] ^= 1
			files[name] = changed
			_, ours := follow(files, nil, nil)
			o := oracle{files[trust.Name(trust.RoleRoot, 1)], t.TempDir()}
			if their := o.follow(files); (ours == nil) != (their == nil) {
				t.Errorf("%s, byte %d: %v, go-tuf says %v", name, at, ours, their)
			}
		}
		files[name] = text
	}
}

// theirs returns metadata as go-tuf writes it.
func theirs[T metadata.Roles](t *testing.T, m *metadata.Metadata[T], by signature.Signer) []byte {
	t.Helper()
	if _, err := m.Sign(by); err != nil {
		t.Fatal(err)
	}
	b, err := m.ToBytes(false)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func hashOf(t *testing.T, text []byte) metadata.HexBytes {
	t.Helper()
	f, err := metadata.TargetFile().FromBytes("x", text, "sha256")
	if err != nil {
		t.Fatal(err)
	}
	return f.Hashes["sha256"]
}
