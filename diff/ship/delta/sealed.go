package delta

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
)

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

// lengthOf is how a signature's length stands before it.
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
