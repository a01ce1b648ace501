package delta

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"aead.dev/minisign"
	"golang.org/x/crypto/blake2b"
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
