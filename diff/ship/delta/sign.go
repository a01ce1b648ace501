package delta

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"aead.dev/minisign"
	"golang.org/x/crypto/blake2b"

	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// The classes of errors of signatures.
var (
	ErrKey       = errors.New("not a minisign key")
	ErrSignature = errors.New("signature does not fit") // of another key, or of something else
)

// PublicKey verifies signatures. Its text is minisign's.
type PublicKey struct {
	ID  [8]byte
	Key [ed25519.PublicKeySize]byte
}

// SecretKey signs. Its text is that of a minisign key without a password.
type SecretKey struct {
	ID  [8]byte
	Key [ed25519.PrivateKeySize]byte
}

// GenerateKey makes a pair of keys.
func GenerateKey() (*SecretKey, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	s := &SecretKey{Key: [ed25519.PrivateKeySize]byte(key)}
	_, err = io.ReadFull(rand.Reader, s.ID[:])
	return s, err
}

// Public returns the key that verifies what s signs.
func (s *SecretKey) Public() *PublicKey {
	return &PublicKey{s.ID, [ed25519.PublicKeySize]byte(s.Key[32:])}
}

// Minisign's names of algorithms.
const (
	algorithm = "Ed"         // Ed25519, of the message itself
	prehashed = "ED"         // Ed25519 of the message's BLAKE2b
	noKDF     = "\x00\x00B2" // no password, checksum by BLAKE2b
)

// name is how minisign shows a key's id.
func name(id [8]byte) string { return fmt.Sprintf("%016X", binary.LittleEndian.Uint64(id[:])) }

// String returns minisign's text of the key.
func (p *PublicKey) String() string {
	b := append([]byte(algorithm), p.ID[:]...)
	return "untrusted comment: minisign public key " + name(p.ID) + "\n" + encode(append(b, p.Key[:]...)) + "\n"
}

// String returns the text of the key, which is a secret.
func (s *SecretKey) String() string {
	sum := s.checksum()
	b := append([]byte(algorithm+noKDF), make([]byte, 32+8+8)...) // salt and limits of the missing password
	b = append(append(append(b, s.ID[:]...), s.Key[:]...), sum[:]...)
	return "untrusted comment: minisign secret key " + name(s.ID) + ", not encrypted\n" + encode(b) + "\n"
}

func (s *SecretKey) checksum() [32]byte {
	return blake2b.Sum256(append(append([]byte(algorithm), s.ID[:]...), s.Key[:]...))
}

func encode(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// decode returns the bytes of the first line that is no comment.
func decode(text string) ([]byte, error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "untrusted comment:") {
			return base64.StdEncoding.DecodeString(line)
		}
	}
	return nil, io.ErrUnexpectedEOF
}

// ParsePublicKey reads minisign's text, or its second line alone.
func ParsePublicKey(text string) (*PublicKey, error) {
	b, err := decode(text)
	if err != nil || len(b) != 2+8+ed25519.PublicKeySize || string(b[:2]) != algorithm {
		return nil, fmt.Errorf("%w: a public key is one line of 56 letters below a comment", ErrKey)
	}
	return &PublicKey{[8]byte(b[2:]), [ed25519.PublicKeySize]byte(b[10:])}, nil
}

// ParseSecretKey reads the text of a key without a password. One with a password
// is ErrPassword: see ParseProtectedKey.
func ParseSecretKey(text string) (*SecretKey, error) {
	b, err := decode(text)
	const head = 2 + 4 + 32 + 8 + 8
	if err != nil || len(b) != head+8+ed25519.PrivateKeySize+32 || string(b[:2]) != algorithm {
		return nil, fmt.Errorf("%w: a secret key is one long line below a comment", ErrKey)
	}
	if minisign.IsEncrypted([]byte(text)) {
		return nil, ErrPassword
	}
	if string(b[2:6]) != noKDF {
		return nil, fmt.Errorf("%w: a secret key of a kind that minisign does not make", errors.ErrUnsupported)
	}
	s := &SecretKey{[8]byte(b[head:]), [ed25519.PrivateKeySize]byte(b[head+8:])}
	// Minisign leaves the checksum of a key without a password empty.
	if sum, have := s.checksum(), [32]byte(b[len(b)-32:]); have != sum && have != [32]byte{} {
		return nil, fmt.Errorf("%w: its checksum does not fit", ErrKey)
	}
	return s, nil
}

// Sign returns minisign's signature of a message. The trusted comment, one line,
// is signed too.
func (s *SecretKey) Sign(message []byte, comment string) string {
	sum := blake2b.Sum512(message)
	sig := ed25519.Sign(s.Key[:], sum[:])
	all := ed25519.Sign(s.Key[:], append(bytes.Clone(sig), comment...))
	return "untrusted comment: signature by pakdb, key " + name(s.ID) + "\n" +
		encode(append(append([]byte(prehashed), s.ID[:]...), sig...)) + "\n" +
		"trusted comment: " + comment + "\n" + encode(all) + "\n"
}

// Verify checks a signature by minisign or by Sign, and returns its trusted
// comment. What does not fit is ErrSignature.
func (p *PublicKey) Verify(message []byte, signature string) (comment string, err error) {
	lines := strings.Split(strings.ReplaceAll(signature, "\r", ""), "\n")
	if len(lines) < 4 {
		return "", fmt.Errorf("%w: it has %d of 4 lines", ErrSignature, len(lines))
	}
	b, err := base64.StdEncoding.DecodeString(lines[1])
	if err != nil || len(b) != 2+8+ed25519.SignatureSize {
		return "", fmt.Errorf("%w: its second line is none", ErrSignature)
	}
	if [8]byte(b[2:]) != p.ID {
		return "", fmt.Errorf("%w: it is by key %s, and not by %s", ErrSignature, name([8]byte(b[2:])), name(p.ID))
	}
	if string(b[:2]) == prehashed {
		sum := blake2b.Sum512(message)
		message = sum[:]
	}
	sig := b[10:]
	comment = strings.TrimPrefix(lines[2], "trusted comment: ")
	all, err := base64.StdEncoding.DecodeString(lines[3])
	if err != nil || !ed25519.Verify(p.Key[:], message, sig) || !ed25519.Verify(p.Key[:], append(bytes.Clone(sig), comment...), all) {
		return "", ErrSignature
	}
	return comment, nil
}

// ErrPassword means that a secret key has a password, which was not given, or is
// another one.
var ErrPassword = errors.New("the secret key has a password")

// ReadSecretKey reads a key's file. password is called if the key has one.
func ReadSecretKey(file string, password func() (string, error)) (*SecretKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := ParseSecretKey(string(text))
	if errors.Is(err, ErrPassword) {
		given, again := password()
		if again != nil {
			return nil, again
		}
		key, err = ParseProtectedKey(string(text), given)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

// ParseProtectedKey reads the text of a secret key with a password, as minisign
// writes it. What does not fit is ErrPassword, and a text that is no such key ErrKey.
// For minisign's own keys it takes seconds and 1 GiB of memory: that keeps others
// from trying passwords.
func ParseProtectedKey(text, password string) (*SecretKey, error) {
	if !minisign.IsEncrypted([]byte(text)) {
		return nil, fmt.Errorf("%w: not one with a password", ErrKey)
	}
	key, err := minisign.DecryptKey(password, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%w, and it is another one, or the key is damaged", ErrPassword)
	}
	plain, err := key.MarshalText()
	if err != nil {
		return nil, err
	}
	return ParseSecretKey(string(plain))
}

// Protected returns the text of the key with a password, which minisign reads too.
// It takes as long as reading it.
func (s *SecretKey) Protected(password string) (string, error) {
	var key minisign.PrivateKey
	if err := key.UnmarshalText([]byte(s.String())); err != nil {
		return "", err
	}
	text, err := minisign.EncryptKey(password, key)
	return string(text) + "\n", err
}

// ErrUnsigned means that a signature was wanted, and there is none.
var ErrUnsigned = errors.New("the patch is not signed")

// SignFile puts a signature into a patch file, in place of one that is there.
// The file is replaced when the new one is complete.
func SignFile(ctx context.Context, name string, key *SecretKey) (err error) {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	h, err := Verify(ctx, in)
	if err != nil {
		return Named(name, err)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := atomicfile.Create(ctx, name, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Discard()) }()
	if err := errors.Join(process.RescueCall(func() error { return copySigned(out, in, h, key) }), out.Chmod(0o644)); err != nil {
		return err
	}
	return out.Commit()
}

// copySigned copies a patch with another signature.
func copySigned(out io.Writer, in io.Reader, h *Header, key *SecretKey) error {
	r := bufio.NewReader(in)
	front, err := readExact(r, int(h.SignatureAt))
	if err != nil {
		return err
	}
	front[len(Magic)] |= frameSigned
	if _, err := out.Write(front); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, r, h.FrontSize-h.SignatureAt); err != nil {
		return err
	}
	if _, err := out.Write(signatureOf(h, key)); err != nil {
		return err
	}
	_, err = io.Copy(out, r)
	return err
}

// signatureOf returns the signature of a patch with its length before it.
func signatureOf(h *Header, key *SecretKey) []byte {
	sig := key.Sign(h.RootHash[:], fmt.Sprintf("pkdelta %d bytes", h.Length()-h.FrontSize+h.SignatureAt))
	return append(lengthOf(sig), sig...)
}

// SignedLength returns how many bytes the patch has once [SignFile] has signed it.
func SignedLength(h *Header, key *SecretKey) int64 {
	return h.Length() - h.FrontSize + h.SignatureAt + int64(len(signatureOf(h, key)))
}

// lengthOf is how a signature's length is before it.
func lengthOf[T ~string | ~[]byte](sig T) []byte {
	return binary.AppendUvarint(nil, uint64(len(sig)))
}

// ReadPublicKey reads a key's file, or takes the text itself for a key.
func ReadPublicKey(text string) (*PublicKey, error) {
	if b, err := os.ReadFile(text); err == nil {
		text = string(b)
	}
	return ParsePublicKey(text)
}

// Describe writes the old and new files of a patch, for people: with as much of each
// file's hash as the patch has.
func (h *Header) Describe(w io.Writer) error {
	var b strings.Builder
	for _, side := range []struct {
		name  string
		files []File
	}{{"needs", h.Old}, {"makes", h.New}} {
		width := 1
		for _, f := range side.files {
			width = max(width, len(f.Hash()))
		}
		for _, f := range side.files {
			fmt.Fprintf(&b, "%s  %-*s  %d  %s\n", side.name, width, cmp.Or(f.Hash(), "-"), f.Size, Printable(f.Name))
		}
	}
	for _, r := range h.Recipes {
		fmt.Fprintf(&b, "recipe %v\n", r)
	}
	for _, k := range h.Keys {
		fmt.Fprintf(&b, "AES    %v\n", k)
	}
	fmt.Fprintf(&b, "%d bytes, %s\nroot   %x\n", h.Length(), Count(len(h.Parts), "segment"), h.RootHash)
	_, err := io.WriteString(w, b.String())
	return err
}

// Count returns "1 file" or "2 files".
func Count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// Printable is a name without what commands terminals.
func Printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsGraphic(r) {
			return '?'
		}
		return r
	}, name)
}

// ReadFileHeader reads the header of a patch file.
func ReadFileHeader(name string) (*Header, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	h, _, err := ReadHeader(f, MaxHeader)
	if err != nil {
		err = Named(name, err)
	}
	return h, errors.Join(err, f.Close())
}

// VerifyFile checks every hash in a patch file.
func VerifyFile(ctx context.Context, name string) (*Header, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil {
		stored.Step(ctx, stepVerify, st.Size())
	}
	h, err := Verify(ctx, f)
	if err != nil {
		err = Named(name, err)
	}
	return h, errors.Join(err, f.Close())
}

// Named adds the name of the file to an error of reading it.
func Named(file string, err error) error { return &os.PathError{Op: "read", Path: file, Err: err} }
