package overlay

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
)

// Manifest says what a patch is: it lies beside its archives, and is the last of
// its files to get a name.
type Manifest struct {
	Pakdb    int               `json:"pakdb_patch"` // version of this file
	Created  string            `json:"created,omitempty"`
	Old      State             `json:"old"`
	New      State             `json:"new"`
	Partial  bool              `json:"partial,omitempty"` // holds some of the changes: new is not the new build
	Archives []ManifestArchive `json:"archives"`
	Files    []ManifestFile    `json:"files"`
	Kept     []string          `json:"kept,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	Damaged  []string          `json:"damaged,omitempty"` // archives of either build that were damaged as a whole when the patch was made
}

// State is what a game sees: equal ids are equal files with equal contents.
type State struct {
	Build string `json:"build"`
	View  string `json:"view,omitempty"` // BLAKE3 over keys and contents of all files; "" when a content is not known
	Files int    `json:"files"`
}

// ManifestArchive is one archive of a patch.
type ManifestArchive struct {
	Name       string `json:"name"`
	Size       int64  `json:"size"`
	Order      int64  `json:"mount_order"`
	MountPoint string `json:"mount_point"`
	Version    string `json:"version"`
	Like       string `json:"like"` // the archive of the old build whose kind it is
	Files      int    `json:"files"`
	Deleted    int    `json:"deleted"`
}

// ManifestFile is what a patch does to one file.
type ManifestFile struct {
	Path    string `json:"path"`
	Action  string `json:"action"`
	Reason  string `json:"reason"`
	Archive string `json:"archive"`
	Size    int64  `json:"size"`
	Stored  int64  `json:"stored"`
	Content string `json:"content,omitempty"`
	From    string `json:"from,omitempty"` // archive of the new build that gave it
	Over    string `json:"over,omitempty"` // archive of the old build that it hides
	Hides   int    `json:"hides"`
}

const manifestVersion = 1

// ManifestExt is what the name of a manifest ends in; in front of it is that
// of the first archive.
const ManifestExt = ".patch.json"

// Fingerprint returns a digest of the files that a game sees: the BLAKE3 over the keys of all files,
// in their order, with the contents. It is "" when a content is not known.
func Fingerprint(view map[Key]*File) string {
	h := blake3.New()
	for _, key := range slices.SortedFunc(maps.Keys(view), func(a, b Key) int { return bytes.Compare(a[:], b[:]) }) {
		f := view[key]
		if !f.Known {
			return ""
		}
		_, _ = h.Write(key[:])
		_, _ = h.Write(f.Content[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func stateOf(label string, view map[Key]*File) State {
	return State{Build: label, View: Fingerprint(view), Files: len(view)}
}

// Entries returns what the plan does, file by file.
func (p *Plan) Entries() []ManifestFile {
	files := make([]ManifestFile, len(p.Items))
	for i := range p.Items {
		it := &p.Items[i]
		f := ManifestFile{Path: it.Path, Action: it.Action.String(), Reason: it.Reason, Hides: it.Hides}
		if it.Part < len(p.Parts) {
			f.Archive = p.Parts[it.Part].Name
		}
		if n := it.New; n != nil {
			f.Size, f.Stored, f.From = n.Size, n.Stored, n.Mount.Name
			if n.Known {
				f.Content = hex.EncodeToString(n.Content[:])
			}
		}
		if it.Old != nil {
			f.Over = it.Old.Mount.Name
		}
		files[i] = f
	}
	return files
}

// describe stages the response files and the manifest.
func (w *patchWriter) describe(ctx context.Context) error {
	if w.p.merges && w.p.leads == nil {
		return nil
	}
	archives := len(w.staged)
	if w.p.merges {
		archives = 0 // what it was made of is no folder of files
	}
	for i := range archives {
		part := &w.written[i].Part
		if part.anew() || part.Format.Mounts().CanDelete == nil || len(part.Items) == 0 {
			continue // UnrealPak does not write these; its paks alone have delete records
		}
		if err := w.stage(ctx, strings.TrimSuffix(part.Name, filepath.Ext(part.Name))+".txt", w.p.response(part)); err != nil {
			return err
		}
	}
	m := w.manifest()
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return w.stage(ctx, manifestName(m.Archives[0].Name), append(text, '\n'))
}

func manifestName(archive string) string {
	return strings.TrimSuffix(archive, filepath.Ext(archive)) + ManifestExt
}

// stage stages a file that is no archive.
func (w *patchWriter) stage(ctx context.Context, name string, text []byte) error {
	path := filepath.Join(w.o.Dir, name)
	if _, err := os.Lstat(path); err == nil && !w.o.Overwrite {
		return fmt.Errorf("%s %w", path, ErrExists)
	}
	s, err := codecs.StageBytes(ctx, path, text)
	if err == nil {
		w.staged = append(w.staged, s)
	}
	return err
}

func (w *patchWriter) manifest() *Manifest {
	p := w.p
	m := &Manifest{Pakdb: manifestVersion, Old: stateOf(p.Old.Label, archived(p.Old.View())), New: stateOf(p.New.Label, p.goal()),
		Partial: len(p.Left) > 0, Files: p.Entries(), Warnings: p.Warnings, Damaged: p.Damaged}
	if w.p.leads != nil {
		m.Old, m.New = w.p.leads[0], w.p.leads[1]
	}
	if !w.o.Epoch.IsZero() {
		m.Created = w.o.Epoch.UTC().Format(time.RFC3339)
	}
	for i := range w.written {
		part := &w.written[i]
		a := ManifestArchive{Name: part.Name, Size: part.Size, Order: part.Order, MountPoint: part.MountPoint}
		if part.model != nil {
			a.Version, a.Like = part.model.Version, part.model.Name
		}
		a.Files, a.Deleted = p.Counts(&part.Part)
		m.Archives = append(m.Archives, a)
	}
	for i := range p.Kept {
		m.Kept = append(m.Kept, p.Kept[i].Path)
	}
	return m
}

// Counts returns how many files and how many delete records a part has.
func (p *Plan) Counts(part *Part) (files, deleted int) {
	for _, i := range part.Items {
		if p.Items[i].New == nil {
			deleted++
		} else {
			files++
		}
	}
	return files, deleted
}

// Entries returns how many entries the archive has, delete records with them.
func (p *Part) Entries() int {
	if p.anew() {
		return len(p.whole)
	}
	return len(p.Items)
}

// Stored returns the stored bytes that go into an archive of the plan.
func (p *Part) Stored(of *Plan) (n int64) {
	for _, f := range p.whole {
		n += f.Stored
	}
	for _, i := range p.Items {
		if f := of.Items[i].New; f != nil && !p.anew() {
			n += f.Stored
		}
	}
	return n
}

// response is the response file by which UnrealPak packs the same files, from
// where "pakdb extract --game-paths" of the new build leaves them.
func (p *Plan) response(part *Part) []byte {
	var b bytes.Buffer
	for n, i := range part.Items {
		it := &p.Items[i]
		fmt.Fprintf(&b, `"%s" "%s%s"`, it.Path, part.MountPoint, part.names[n])
		switch {
		case it.New == nil:
			b.WriteString(" -delete")
		case it.New.Stored < it.New.Size:
			b.WriteString(" -compress")
		}
		if it.New != nil && it.New.Flags&codecs.Encrypted != 0 {
			b.WriteString(" -encrypt")
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// ContainerHeader makes the ContainerHeader of an IoStore container that brings
// chunks of other containers anew: it lists the packages among them, as those
// have them. An engine loads no package that no mounted container lists.
func ContainerHeader(ctx context.Context, name string, entries []*codecs.Entry, from []codecs.Archive) (*codecs.Entry, []byte, error) {
	packages := map[uint64]bool{}
	for _, e := range entries {
		if id, ok := iostore.PackageOf(e.ID); ok && e.Type == iostore.TypeExportBundleData {
			packages[id] = true
		}
	}
	var headers []*unreal.ContainerFacts
	for _, ar := range from {
		f, err := ReadContainerHeader(ctx, ar)
		if err != nil {
			return nil, nil, err
		}
		if f != nil {
			headers = append(headers, f)
		}
	}
	if len(headers) == 0 {
		return nil, nil, nil
	}
	id := iostore.ContainerID(name)
	f := unreal.Overriding(id, func(pkg uint64) bool { return packages[pkg] }, headers...)
	for _, p := range f.Packages {
		delete(packages, p.ID)
	}
	if len(packages) > 0 {
		return nil, nil, codecs.Errorf(codecs.ErrCorrupt, "%s: %d packages stand in no header of the new build's containers", name, len(packages))
	}
	b, err := zen.AppendContainerHeader(nil, f)
	return iostore.HeaderEntry(id), b, err
}

// maxHeader bounds a ContainerHeader: those of games have some MiB.
const maxHeader = 256 << 20

// ReadContainerHeader returns the header of a container, nil if it has none.
func ReadContainerHeader(ctx context.Context, ar codecs.Archive) (*unreal.ContainerFacts, error) {
	for e, err := range ar.Entries() {
		switch {
		case e == nil:
			return nil, err
		case e.Type != iostore.TypeContainerHeader:
			continue
		case err != nil:
			return nil, err
		case e.Size > maxHeader:
			return nil, codecs.Errorf(codecs.ErrLimit, "container header of %d bytes", e.Size)
		}
		r, err := ar.Open(ctx, e)
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(codecs.ContextReader(ctx, r))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		return zen.ReadContainerHeader(bytes.NewReader(b), int64(len(b)))
	}
	return nil, nil
}
