// Package bundle makes the archives, licences and bills of materials of a release:
// archives that are equal, byte for byte, whenever and wherever they are written, the
// licences of the modules that the programs link, and a list of these modules (SBOM).
package bundle

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name string // with forward slashes, the folder's own name included
	path string
	size int64
	mode fs.FileMode // 0755 if anyone may execute it, else 0644
}

// list returns the files below dir in order of their names. It fails for anything
// that is neither a file nor a folder.
func list(dir string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		rel, err := filepath.Rel(dir, name)
		files = append(files, file{path.Join(filepath.Base(dir), filepath.ToSlash(rel)), name, info.Size(), mode})
		return err
	})
	return files, err
}

// WriteArchive writes the folder dir, with its name, as a .zip or .tar.gz, which the
// name of out says. Order, times, owners and modes depend on names and contents
// alone. It fails if out exists, or has another extension.
func WriteArchive(out, dir string, modified time.Time) (err error) {
	write := writeTar
	switch {
	case strings.HasSuffix(out, ".zip"):
		write = writeZip
	case !strings.HasSuffix(out, ".tar.gz"):
		return fmt.Errorf("%s is neither a .zip nor a .tar.gz", out)
	}
	files, err := list(dir)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(out))
		}
	}()
	return write(f, files, modified.UTC())
}

func writeTar(w io.Writer, files []file, modified time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: f.size, Mode: int64(f.mode), ModTime: modified, Format: tar.FormatPAX}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if err := copyFile(archive, f.path); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func writeZip(w io.Writer, files []file, modified time.Time) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: modified}
		h.SetMode(f.mode)
		entry, err := archive.CreateHeader(h)
		if err != nil {
			return err
		}
		if err := copyFile(entry, f.path); err != nil {
			return err
		}
	}
	return archive.Close()
}

func copyFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}
