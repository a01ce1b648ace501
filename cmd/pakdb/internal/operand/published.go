package operand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/asset"
	"pakdb/internal/atomicfile"
	"pakdb/internal/glob"
	"pakdb/internal/regular"
)

// published is a file of a published build, STORE:BUILD:PATH.
type published struct {
	store, build, path string
}

// parsePublished divides the name of a file of a published build. Names of files that are
// there are none.
func parsePublished(text string) (p published, ok bool) {
	if _, err := os.Lstat(text); err == nil {
		return p, false
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return p, false
	}
	j := strings.LastIndexByte(text[:i], ':')
	if j < 1 || i == len(text)-1 || !store.ValidBuild(text[j+1:i]) {
		return p, false
	}
	p = published{text[:j], text[j+1 : i], text[i+1:]}
	if !strings.Contains(p.store, "://") {
		if _, err := os.Stat(filepath.Join(p.store, filepath.FromSlash(store.IndexName))); err != nil {
			return p, false
		}
	}
	return p, true
}

// FetchPublished replaces arguments that name files of published builds, STORE:BUILD:PATH or
// STORE:BUILD:PATH!/ENTRY, by the paths of copies. whole counts those without ENTRY. The
// caller calls remove when it has read the copies.
func FetchPublished(ctx context.Context, a *cli.App, args []string) (local []string, whole int, remove func() error, err error) {
	local, remove = slices.Clone(args), func() error { return nil }
	var dir *atomicfile.ScratchDir
	for i, arg := range args {
		name, entry, inside := strings.Cut(arg, codecs.NestedSeparator)
		p, ok := parsePublished(name)
		if !ok {
			continue
		}
		if dir == nil {
			if dir, err = atomicfile.NewScratchDir("published"); err != nil {
				return nil, 0, remove, err
			}
			remove = dir.Close
		}
		at := filepath.Join(dir.Path(), strconv.Itoa(i))
		if err := p.fetch(ctx, a, at); err != nil {
			return nil, 0, remove, fmt.Errorf("%s: %w", name, err)
		}
		if local[i] = filepath.Join(at, filepath.FromSlash(p.path)); inside {
			local[i] += codecs.NestedSeparator + entry
		} else {
			whole++
		}
	}
	return local, whole, remove, nil
}

// fetch makes the file, and the parts of its archive or asset beside it, in a folder.
func (p published) fetch(ctx context.Context, a *cli.App, dir string) (err error) {
	label, platform := store.SplitPlatform(p.build)
	r, err := update.OpenRemote(p.store, update.RemoteOptions{Platform: platform})
	if err != nil {
		return err
	}
	var names []string
	beside := regular.FS(dir + ".names") // with the name alone: parts are recognised by their names
	if err := os.MkdirAll(dir+".names", 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir+".names", path.Base(p.path)), nil, 0o600); err != nil {
		return err
	}
	found := false
	of := asset.Of(p.path)
	only := func(name string) bool {
		names = append(names, name)
		found = found || name == p.path
		return name == p.path || of != "" && asset.Of(name) == of || path.Dir(name) == path.Dir(p.path) && a.Registry().IsPart(path.Base(name), beside)
	}
	watched, stop := a.WatchPatch(ctx)
	defer stop()
	folder, plan, err := update.Prepare(watched, r, dir, update.Options{Label: label, Only: only})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if !found {
		return cli.WithHint(fmt.Errorf("no such file in build %q: %w", p.build, fs.ErrNotExist), glob.NearestHint(glob.Nearest(p.path, names)))
	}
	return folder.Apply(watched, plan, nil)
}
