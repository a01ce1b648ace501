package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/rows"
	"pakdb/codecs/unreal/zen"
	"pakdb/internal/asset"
	"pakdb/internal/safename"
)

// legacyForm is the form of packages that editors of Unreal packages read: .uasset and .uexp.
const legacyForm = "legacy"

// legacyExtraction is a run of extract that converts packages of containers.
type legacyExtraction struct {
	*packages
	sources  []operand.Source
	global   *unreal.ScriptObjectFacts // by --global; nil: that of the folder
	anyClass bool

	mu    sync.Mutex
	hint  string
	files []*packageFiles // of all archives; nil until one is looked for
	known map[string]*unreal.PackageFacts
	// refused are the packages that were not converted, by [packageStem].
	refused map[string]bool
	end     []func() error
}

// newLegacyExtraction prepares to convert packages. Archives stay open until close.
func newLegacyExtraction(ctx context.Context, all *extractions, in *packages) (*legacyExtraction, error) {
	x := &legacyExtraction{packages: in, sources: all.sources, anyClass: all.opts.dangling, known: map[string]*unreal.PackageFacts{}, refused: map[string]bool{}}
	if all.opts.global == "" {
		return x, nil
	}
	x.global = scriptsOf(ctx, all.a, all.opts.global)
	if x.global == nil {
		return nil, fmt.Errorf("%w: --global %s has no objects of the program; it is the global.utoc of a game", cli.ErrUsage, all.opts.global)
	}
	return x, nil
}

func (x *legacyExtraction) close() {
	for _, end := range x.end {
		_ = end()
	}
}

// hasForm reports whether a legacy package, or a file beside one, is made of an entry.
func hasLegacyForm(e *codecs.Entry) bool {
	switch e.Type {
	case iostore.TypeExportBundleData, iostore.TypeBulkData, iostore.TypeOptionalBulkData, iostore.TypeMemoryMapped:
		return true
	}
	return e.ID.Bits != codecs.ChunkBits && (unreal.HasPackageExt(e.Name) || path.Ext(e.Name) == ".uzenasset")
}

// write converts a package. It returns false for entries that are written as they are.
func (x *legacyExtraction) write(ctx context.Context, dir *safename.Dir, files *packageFiles, j *job) (ok bool, err error) {
	e := j.entry
	if e.ID.Bits == codecs.ChunkBits && e.Type != iostore.TypeExportBundleData {
		return false, nil
	}
	content, err := files.spool(ctx, e)
	if err != nil {
		j.err = err
		return true, nil
	}
	defer content.Close()
	chunk, err := readAll(content)
	if err == nil && !content.Chunk && bytes.HasPrefix(chunk, unreal.PackageTag()) {
		return false, nil
	}
	var asset, uexp []byte
	if err == nil {
		asset, uexp, err = x.convert(ctx, chunk, content.Folder)
	}
	if err != nil {
		j.err = x.explain(cli.OfFile(err, files.ar.Path, cli.Label(e)))
		x.mu.Lock()
		x.refused[packageStem(j.out)] = true
		x.mu.Unlock()
		return true, nil
	}
	return true, writeLegacy(dir, j.out, asset, uexp, e.Mod)
}

// packageStem returns what the files of a package have in common, whatever their case.
func packageStem(name string) string {
	stem, _, _ := asset.Split(name)
	return strings.ToLower(ofSegment(stem))
}

// writeLegacy writes the files of a package.
func writeLegacy(dir *safename.Dir, name string, asset, uexp []byte, mod time.Time) error {
	stem, ext := strings.TrimSuffix(name, path.Ext(name)), ".uasset"
	if path.Ext(name) == ".umap" {
		ext = ".umap"
	}
	write := func(name string, b []byte) error {
		f, err := dir.Create(name)
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		if err == nil {
			err = f.Commit(mod)
		}
		return errors.Join(err, f.Close())
	}
	return errors.Join(write(stem+".uexp", uexp), write(stem+ext, asset))
}

// extractFiles converts packages of containers that are files of their own. It returns false
// if the first argument is none.
func extractFiles(ctx context.Context, a *cli.App, opts *extractOptions, args []string) (ok bool, err error) {
	if st, err := os.Stat(args[0]); err != nil || !st.Mode().IsRegular() || opts.dryRun {
		return false, nil
	}
	if c, err := openLoosePackage(a, args[0]); err != nil || c == nil {
		return false, nil
	} else {
		c.Close()
	}
	in, err := newPackages(ctx, a, "", slices.Values([]*operand.Archive(nil)))
	if err != nil {
		return true, err
	}
	x, err := newLegacyExtraction(ctx, &extractions{a: a, opts: *opts}, in)
	if err != nil {
		return true, err
	}
	dir, err := safename.OpenDir(ctx, opts.out, opts.overwrite)
	if err != nil {
		return true, err
	}
	defer func() { _ = dir.Close() }()
	bad := cli.NewComplaints(a)
	for _, name := range args {
		asset, uexp, err := x.convertFile(ctx, name)
		if err != nil {
			bad.Add(x.explain(cli.OfFile(err, name, "")))
			continue
		}
		if err := writeLegacy(dir, filepath.Base(name), asset, uexp, time.Time{}); err != nil {
			return true, err
		}
	}
	x.report()
	return true, bad.Result()
}

func (x *legacyExtraction) convertFile(ctx context.Context, name string) (asset, uexp []byte, err error) {
	c, err := openLoosePackage(x.a, name)
	if err != nil {
		return nil, nil, err
	}
	if c == nil {
		return nil, nil, fmt.Errorf("%w: an archive among packages", cli.ErrUsage)
	}
	defer c.Close()
	chunk, err := readAll(c)
	if err != nil {
		return nil, nil, err
	}
	return x.convert(ctx, chunk, c.Folder)
}

// convert returns the files of the legacy package.
func (x *legacyExtraction) convert(ctx context.Context, chunk []byte, folder string) (asset, uexp []byte, err error) {
	o := zen.LegacyOptions{Scripts: x.global, AnyClass: x.anyClass}
	if o.Scripts == nil {
		o.Scripts = x.scripts(folder)
	}
	o.Imported = func(name string) (*unreal.PackageFacts, error) { return x.imported(ctx, name, o.Scripts) }
	return x.lib.ToLegacy(ctx, chunk, o)
}

// imported returns a package of the archives by its name, nil if none has it.
func (x *legacyExtraction) imported(ctx context.Context, name string, scripts *unreal.ScriptObjectFacts) (*unreal.PackageFacts, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := strings.ToLower(name)
	if f, ok := x.known[key]; ok {
		return f, nil
	}
	if x.files == nil {
		for _, s := range x.sources {
			ar, err := s.Open(ctx)
			if err != nil {
				continue // the extraction from it says so
			}
			x.end = append(x.end, ar.Close)
			x.files = append(x.files, filesOfPackages(ar))
		}
	}
	i := slices.IndexFunc(x.files, func(f *packageFiles) bool { return f.headers[key] != nil })
	if i < 0 {
		x.known[key] = nil
		return nil, nil
	}
	c, err := operand.SpoolEntry(ctx, x.files[i].ar, x.files[i].headers[key])
	if err != nil {
		return nil, err
	}
	defer c.Close()
	p, err := zen.Read(c, c.Size)
	if err != nil {
		return nil, err
	}
	x.known[key] = zen.Resolve(&p.PackageFacts, scripts)
	return x.known[key], nil
}

// explain keeps what to do about the first error that has a remedy.
func (x *legacyExtraction) explain(err error) error {
	var class *zen.UnknownClassError
	hint := ""
	switch {
	case errors.Is(err, rows.ErrNoGlobal):
		hint = "--global FILE names the global.utoc of the game"
	case errors.As(err, &class) && strings.HasPrefix(class.Object, "<"):
		hint = "name the archive that has it, too"
	case errors.As(err, &class):
		hint = "name the archive that has it, too; --dangling gives such objects the class Object"
	case errors.Is(err, zen.ErrNoEngine):
		hint = "--engine 5.6, 5.7 or 5.8 says which one cooked it"
	}
	x.mu.Lock()
	x.hint = cmp.Or(x.hint, hint)
	x.mu.Unlock()
	return err
}

// report prints the hint.
func (x *legacyExtraction) report() {
	if x.hint != "" {
		_, _ = fmt.Fprintln(x.a.Stderr, "hint: "+x.hint)
	}
}
