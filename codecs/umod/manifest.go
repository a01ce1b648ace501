package umod

import (
	"context"
	"hash/crc32"
	"io"
	"math/bits"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
)

// maxManifest bounds Manifest.ini; real ones have a few kilobytes.
const maxManifest = 1 << 20

// manifest is what Manifest.ini says of the installer.
type manifest struct {
	found    bool
	setup    []codecs.Detail // of [Setup], in order
	required []codecs.Detail // product and version of each requirement
	files    []string        // Src of all groups, as names of entries
}

// isManifest reports the two entries that are not installed.
func isManifest(name string) bool {
	base := strings.ToLower(path.Base(name))
	return base == "manifest.ini" || base == "manifest.int"
}

// readManifest reads the first Manifest.ini. A UMOD without one, or with one
// that cannot be read, is still an archive.
func (a *archive) readManifest(ctx context.Context) error {
	for i := range a.entries {
		e := &a.entries[i]
		if strings.ToLower(path.Base(e.Name)) != "manifest.ini" || e.err != nil {
			continue
		}
		r, err := a.Open(ctx, &e.Entry)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(r, maxManifest))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			a.warnings = append(a.warnings, a.fail(e.Name, "manifest", e.Offset, err))
			return nil
		}
		a.manifest = parseManifest(string(text))
		return nil
	}
	return nil
}

func parseManifest(text string) manifest {
	m := manifest{found: true}
	section, required := "", map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		switch {
		case !ok:
		case strings.EqualFold(section, "Setup"):
			m.setup = append(m.setup, codecs.Detail{Name: key, Value: value})
			if strings.EqualFold(key, "Requires") {
				required[value] = true
			}
		case required[section]:
			m.required = append(m.required, codecs.Detail{Name: section + "." + key, Value: value})
		case strings.EqualFold(key, "File"), strings.EqualFold(key, "Copy"):
			m.files = append(m.files, sourceOf(value))
		}
	}
	return m
}

// sourceOf returns Src of "(Src=System\A.u,Size=1)", as the name of an entry.
func sourceOf(value string) string {
	for field := range strings.SplitSeq(strings.Trim(value, "()"), ",") {
		if key, src, ok := strings.Cut(field, "="); ok && strings.EqualFold(strings.TrimSpace(key), "Src") {
			return strings.ReplaceAll(strings.Trim(src, ` "`), `\`, "/")
		}
	}
	return ""
}

func (m *manifest) details() []codecs.Detail { return slices.Concat(m.setup, m.required) }

// crcSum is a running CRC-32/BZIP2; it is an io.Writer. It has the polynomial
// of the common CRC-32 but takes the most significant bit of a byte first, so
// it is the common one over bytes with their bits reversed, itself reversed.
type crcSum struct {
	common uint32
	buf    [4096]byte
}

func newCRC() *crcSum { return new(crcSum) }

func (c *crcSum) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), len(c.buf))
		for i, b := range rest[:n] {
			c.buf[i] = bits.Reverse8(b)
		}
		c.common = crc32.Update(c.common, crc32.IEEETable, c.buf[:n])
		rest = rest[n:]
	}
	return len(p), nil
}

func (c *crcSum) sum() uint32 { return bits.Reverse32(c.common) }
