package apply

import (
	"bytes"
	"context"
	"crypto/cipher"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/safename"
	"pakdb/internal/testkit"
)

// pair is an old pak, a new one, and the patch between them.
type pair struct{ old, new, patch []byte }

func newPair(t testing.TB) pair { return newPairOf(t, 90_000) }

// newPairOf is for fuzzing a small one: every worker makes it, and each execution
// applies it.
func newPairOf(t testing.TB, size int) pair {
	t.Helper()
	a, b, c := deltatest.Words(1, size), deltatest.Words(2, 3000), deltatest.Words(3, 500)
	edited := append(append(bytes.Clone(a[:size/2]), "inserted"...), a[size/2:]...)
	p := pair{old: deltatest.PakOf(t, a, b, c), new: deltatest.PakOf(t, edited, b, deltatest.Words(4, 700), a[1000:size/3])}
	var out bytes.Buffer
	_, s, err := maker.Make(context.Background(), []delta.Input{deltatest.Input("x.pak", p.old)}, []delta.Input{deltatest.Input("x.pak", p.new)}, &out, t.TempDir(),
		&maker.MakeOptions{Registry: deltatest.Paks()})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Made) == 0 || s.Derived == 0 {
		t.Fatalf("nothing was made or derived: %+v", s)
	}
	p.patch = out.Bytes()
	return p
}

func TestApplied(t *testing.T) {
	p := newPair(t)
	if files, err := rounds().Try(t, p.patch, p.old); err != nil || len(files) != 1 || files[0].Name() != "x.pak" {
		t.Fatal(err, files)
	}
}

// TestDamagedPatches: of changed, cut and lengthened patches none is applied, and
// nothing is left of them. PAKDB_DAMAGE says how many. Neither is one with a wrong old file.
func TestDamagedPatches(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	n := testkit.Of(80, 1000)
	if many, err := strconv.Atoi(os.Getenv("PAKDB_DAMAGE")); err == nil {
		n = many
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		bad, old := bytes.Clone(p.patch), p.old
		switch i % 8 {
		case 0:
			bad = bad[:r.IntN(len(bad))]
		case 1:
			bad = append(bad, byte(i))
		case 2:
			old = bytes.Clone(old)
			old[r.IntN(len(old))] ^= 1 << (i % 7)
		case 3:
			old = old[:r.IntN(len(old))]
		default:
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		if files, err := rounds().Try(t, bad, old); err == nil || len(files) > 0 {
			t.Fatalf("damage %d: %v, left: %v", i, err, files)
		}
	}
	if files, err := rounds().Try(t, p.patch, p.new); !errors.Is(err, ErrApplied) || len(files) > 0 {
		t.Errorf("applied again: %v", err)
	}
}

// TestHostilePatches: changed segments under right hashes end in an error, and
// soon: the hash of the result is the last line.
func TestHostilePatches(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range testkit.Of(25, 250) {
		bad := reseal(t, p.patch, func(stream []byte) []byte {
			for range 1 + i%3 {
				stream[r.IntN(len(stream)-6)] ^= byte(1 + r.IntN(255))
			}
			return stream
		})
		if files, err := rounds().Try(t, bad, p.old); err == nil || len(files) > 0 {
			t.Fatalf("change %d: %v, left: %v", i, err, files)
		}
	}
}

// reseal changes the segments of a patch and makes all hashes fit.
func reseal(t testing.TB, patch []byte, change func([]byte) []byte) []byte {
	t.Helper()
	r, err := delta.NewReader(bytes.NewReader(patch))
	if err != nil {
		t.Fatal(err)
	}
	var body []byte
	for i := range r.Header.Parts {
		stream, _, err := r.Segment()
		if err != nil {
			t.Fatal(err)
		}
		stream = change(bytes.Clone(stream))
		r.Header.Parts[i].Stored, r.Header.Parts[i].Sum = int64(len(stream)), delta.SumOfBytes(stream)
		body = append(body, stream...)
	}
	return append(r.Header.Marshal(body), body...)
}

// TestHostileHeaders: names that lead out of the folder, or nowhere.
func TestHostileHeaders(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/../../x", `a\x`, "c:x", "a//b", "a/", "a\x00", "\xff", ".pakdb-update.journal", ".PAKDB-x", "a/.pakdb-x/y",
		"NUL", "a/aux.txt", "a.", "a /b", "a\nb", "x\u202ey", "what?", strings.Repeat("x", 3000)} {
		h := &delta.Header{Files: delta.Files{New: []delta.File{{Name: name}}}}
		if _, err := delta.NewReader(bytes.NewReader(h.Marshal(nil))); !errors.Is(err, delta.ErrCorrupt) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, names := range [][2]string{{"A/x", "a/X"}, {"a", "a/b"}, {"a/b", "A"}} {
		h := &delta.Header{Files: delta.Files{New: []delta.File{{Name: names[0]}, {Name: names[1]}}}}
		if _, err := delta.NewReader(bytes.NewReader(h.Marshal(nil))); !errors.Is(err, delta.ErrCorrupt) {
			t.Errorf("%q: %v", names, err)
		}
	}
	if _, err := delta.NewReader(bytes.NewReader([]byte("pkd\x02 and what follows in later versions"))); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("another version: %v", err)
	}
	if _, err := delta.NewReader(bytes.NewReader([]byte("PK\x03\x04 something else entirely"))); !errors.Is(err, delta.ErrNotPatch) {
		t.Errorf("no patch: %v", err)
	}
}

// Make refuses to name a new file what Apply would refuse, and says which.
func TestMakeRefusesNames(t *testing.T) {
	for _, name := range []string{"NUL", "a.", "what?", "x\u202ey"} {
		in := delta.Input{Name: name, Source: codecs.Source{ReaderAt: bytes.NewReader([]byte("a")), Name: name, Size: 1}}
		_, _, err := maker.Make(t.Context(), nil, []delta.Input{in}, io.Discard, t.TempDir(), nil)
		if !errors.Is(err, safename.ErrUnsafe) || errors.Is(err, delta.ErrCorrupt) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// FuzzSegment executes anything that has the right hash.
func FuzzSegment(f *testing.F) {
	p := newPairOf(f, 6000)
	r, err := delta.NewReader(bytes.NewReader(p.patch))
	if err != nil {
		f.Fatal(err)
	}
	fuzzSegments(f, r, p.old, len(p.new), nil)
}

// fuzzSegments executes anything in the place of the first segment. The machine,
// with its 4 MB of models and coders, serves all executions, as it serves all
// segments of a patch.
func fuzzSegments(f *testing.F, r *delta.Reader, old []byte, size int, keys []cipher.Block) {
	stream, _, err := r.Segment()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(stream)
	out := &deltatest.Memory{B: make([]byte, size)}
	m := &program.Machine{H: r.Header}
	f.Fuzz(func(t *testing.T, stream []byte) {
		m.Use(&program.OldFiles{Files: []io.ReaderAt{bytes.NewReader(old)}, Names: []string{"x.pak"}, Keys: keys})
		m.Begin(0, out, int64(size), 0, nil, nil)
		if err := m.Run(context.Background(), stream); err == nil && m.Pos() > int64(size) {
			t.Fatal("more output than declared")
		}
	})
}

// FuzzHeader reads anything that has the right hash.
func FuzzHeader(f *testing.F) {
	p := newPairOf(f, 6000)
	r, err := delta.NewReader(bytes.NewReader(p.patch))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(r.Header.Columns(), r.Header.Sums()...), byte(0))
	f.Add([]byte("0\x00\x02AA"), byte(0)) // new files by old ones, of which there are none
	f.Fuzz(func(_ *testing.T, body []byte, how byte) {
		h := &delta.Header{}
		_ = h.Parse(body, how, body, delta.MaxHeader)
	})
}

func TestSignatures(t *testing.T) {
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	again, err := delta.ParseSecretKey(key.String())
	if err != nil || *again != *key {
		t.Fatal(err)
	}
	public, err := delta.ParsePublicKey(key.Public().String())
	if err != nil {
		t.Fatal(err)
	}
	sig := key.Sign([]byte("message"), "comment")
	if comment, err := public.Verify([]byte("message"), sig); err != nil || comment != "comment" {
		t.Error(comment, err)
	}
	other, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"another message": verify(public, "massage", sig),
		"another key":     verify(other.Public(), "message", sig),
		"another comment": verify(public, "message", string(bytes.Replace([]byte(sig), []byte(": comment"), []byte(": Comment"), 1))),
		"nothing":         verify(public, "message", ""),
	} {
		if !errors.Is(err, delta.ErrSignature) {
			t.Errorf("%s: %v", what, err)
		}
	}
	p := newPair(t)
	name := t.TempDir() + "/x.pkdelta"
	if err := os.WriteFile(name, p.patch, 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err := delta.ReadFileHeader(name); err != nil || !errors.Is(h.CheckSignature(public), delta.ErrUnsigned) {
		t.Error("unsigned", err)
	}
	for range 2 {
		if err := delta.SignFile(t.Context(), name, key); err != nil {
			t.Fatal(err)
		}
	}
	h, err := delta.VerifyFile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.CheckSignature(public); err != nil {
		t.Error(err)
	}
}

func verify(key *delta.PublicKey, message, sig string) error {
	_, err := key.Verify([]byte(message), sig)
	return err
}
