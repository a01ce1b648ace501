package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal/rows"
	"pakdb/internal/safename"
	"pakdb/internal/terminal"
)

// asOptions say in which form contents are written.
type asOptions struct {
	form   string // "" for as they are; of extract several, between commas
	indent bool   // JSON
	media  mediaOptions
}

// add gives cmd the flags. more are forms that no other command has.
func (o *asOptions) add(cmd *cobra.Command, more ...string) {
	cli.Flag(cmd, "as", &o.form)
	cli.Flag(cmd, "indent", &o.indent)
	cli.ReadsValues(cmd)
	cli.CompleteFlag(cmd, "as", append(more, append([]string{"json"}, mediaForms()...)...)...)
	o.media.mip, o.media.slice = -1, -1
}

// forms are those that are wanted.
func (o *asOptions) forms() []string { return strings.Split(o.form, ",") }

// check refuses forms that there are not, and options that mean nothing with them.
func (o *asOptions) check(a *cli.App, raw bool, more ...string) error {
	known := append(append([]string{"json"}, mediaForms()...), more...)
	switch {
	case len(o.forms()) > 1 && slices.Contains(o.forms(), legacyForm):
		return fmt.Errorf("%w: --as legacy goes with no other form", cli.ErrUsage)
	case o.form != "" && slices.ContainsFunc(o.forms(), func(form string) bool { return !slices.Contains(known, form) }):
		return fmt.Errorf("%w: --as %s: the forms are %s", cli.ErrUsage, o.form, strings.Join(known, ", "))
	case o.form != "" && raw:
		return fmt.Errorf("%w: --as %s decodes, --raw does not", cli.ErrUsage, o.form)
	case o.indent && !slices.Contains(o.forms(), "json"):
		return fmt.Errorf("%w: --indent is for --as json", cli.ErrUsage)
	case o.form == "" && (len(a.Mappings) > 0 || a.Engine != ""):
		return fmt.Errorf("%w: --mappings and --engine are for --as", cli.ErrUsage)
	}
	return o.media.check(o.forms())
}

// writeJSON writes the values of a package as JSON: an export a line, or indented. It
// returns errors of the package and errors of w apart.
func writeJSON(w io.Writer, v *rows.Package, indent bool) (contentErr, writeErr error) {
	out := bufio.NewWriter(w)
	before := "[\n"
	var lines bytes.Buffer
	err := v.JSON(func(text []byte) error {
		if indent {
			lines.Reset()
			lines.WriteString("  ")
			if err := json.Indent(&lines, text, "  ", "  "); err != nil {
				return err
			}
			text = lines.Bytes()
		}
		_, err := out.WriteString(before)
		before = ",\n"
		_, textErr := out.Write(text)
		return cmp.Or(err, textErr)
	})
	if before == "[\n" {
		before = "[\n\n]\n"
	} else {
		before = "\n]\n"
	}
	_, _ = out.WriteString(before)
	if writeErr := out.Flush(); writeErr != nil {
		return nil, writeErr
	}
	return err, nil
}

// catAs writes the packages that entries are in another form.
func catAs(ctx context.Context, a *cli.App, w io.Writer, groups []group, as *asOptions) error {
	entries := 0
	for _, g := range groups {
		entries += len(g.entries)
	}
	if as.form != "json" && entries > 1 {
		return cli.WithHint(fmt.Errorf("%w: a file of the form %s holds one content, not %d", cli.ErrUsage, as.form, entries), "pakdb extract --as "+as.form+" writes a file for each")
	}
	build := ""
	for _, g := range groups {
		build = cmp.Or(build, g.ar.Build)
	}
	p, err := newPackages(ctx, a, build, archivesOf(groups))
	if err != nil {
		return err
	}
	for _, g := range groups {
		files := filesOfPackages(g.ar)
		for _, e := range g.entries {
			cat := func() error { return catEntryAs(ctx, w, p, files, e, as) }
			if !mods.IsPackage(e) && isPicture(e) {
				cat = func() error { return catPicture(ctx, w, g.ar, e, as) }
			}
			if err := cat(); err != nil {
				return cli.OfFile(err, g.ar.Path, cli.Label(e))
			}
		}
	}
	return nil
}

func archivesOf(groups []group) iter.Seq[*operand.Archive] {
	return func(yield func(*operand.Archive) bool) {
		for _, g := range groups {
			if !yield(g.ar) {
				return
			}
		}
	}
}

func catEntryAs(ctx context.Context, w io.Writer, p *packages, files *packageFiles, e *codecs.Entry, as *asOptions) error {
	content, err := files.spool(ctx, e)
	if err != nil {
		return err
	}
	defer content.Close()
	return catPackage(ctx, w, p, content, surroundings{files.besides(ctx, p.a, e, content), files.named}, as)
}

// catFileAs writes a file in another form, if it is a package. It returns false for other
// files, and for what is no file.
func catFileAs(ctx context.Context, a *cli.App, path, out string, as *asOptions) (ok bool, err error) {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false, nil
	}
	if ok, err := catPictureFile(ctx, a, path, out, as); ok || err != nil {
		return ok, err
	}
	content, err := openLoosePackage(a, path)
	if content == nil || err != nil {
		return false, err
	}
	defer func() { content.Close() }()
	if err := addExports(content, path); err != nil {
		return true, err
	}
	p, err := newPackages(ctx, a, "", slices.Values([]*operand.Archive(nil)))
	if err != nil {
		return true, err
	}
	write := func(w io.Writer) error {
		return cli.OfFile(catPackage(ctx, w, p, content, surroundings{besidesFile(path, content), namedNear(a, path)}, as), path, "")
	}
	if out == "" {
		return true, write(a.Stdout)
	}
	return true, toFile(ctx, out, time.Time{}, write)
}

// catPackage writes a package in another form.
func catPackage(ctx context.Context, w io.Writer, p *packages, content *operand.Content, near surroundings, as *asOptions) error {
	o, err := p.read(ctx, content)
	if err != nil {
		return err
	}
	if as.form != "json" {
		return catMedia(ctx, w, p, o, near, as)
	}
	if contentErr, writeErr := writeJSON(w, o.Package, as.indent); contentErr != nil || writeErr != nil {
		return cmp.Or(contentErr, writeErr)
	}
	bad := []error{p.missing(&o.Coverage)}
	for _, problem := range o.problems {
		bad = append(bad, problem)
	}
	return errors.Join(bad...)
}

// jsonExtraction is a run of extract that writes the values of packages.
type jsonExtraction struct {
	*packages

	indent bool

	mu       sync.Mutex
	coverage rows.Coverage
}

// newJSONExtraction prepares to write values of packages in archives. Classes are looked
// for in all of them, which stay open until end is called.
func newJSONExtraction(ctx context.Context, a *cli.App, sources []operand.Source, indent bool) (x *jsonExtraction, end func(), err error) {
	build := ""
	for _, s := range sources {
		build = cmp.Or(build, s.Build)
	}
	var opened []*operand.Archive
	archives := func(yield func(*operand.Archive) bool) {
		for _, s := range sources {
			ar, err := s.Open(ctx)
			if err != nil {
				continue // extracting from it reports this
			}
			opened = append(opened, ar)
			if !yield(ar) {
				return
			}
		}
	}
	p, err := newPackages(ctx, a, build, archives)
	return &jsonExtraction{packages: p, indent: indent}, func() {
		for _, ar := range opened {
			_ = ar.Close()
		}
	}, err
}

// write writes the values of one package. Only what concerns the folder is returned.
func (x *jsonExtraction) write(ctx context.Context, dir *safename.Dir, files *packageFiles, j *job) error {
	content, o, err := x.open(ctx, files, j.entry)
	if err != nil {
		j.err = err
		return nil
	}
	defer content.Close()
	f, err := dir.Create(formName(j.out, "json"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	contentErr, writeErr := writeJSON(f, o.Package, x.indent)
	if contentErr != nil || writeErr != nil {
		j.err = cli.OfFile(contentErr, files.ar.Path, cli.Label(j.entry))
		return writeErr
	}
	x.mu.Lock()
	x.coverage.Add(&o.Coverage)
	x.mu.Unlock()
	for _, problem := range o.problems {
		j.err = errors.Join(j.err, cli.OfFile(problem, files.ar.Path, cli.Label(j.entry)))
	}
	return f.Commit(j.entry.Mod)
}

// report lists the objects that were not understood. Mappings that lack something are a
// complaint.
func (x *jsonExtraction) report(bad *cli.Complaints) {
	c := &x.coverage
	if err := x.missing(c); err != nil {
		bad.Add(err)
		_, _ = fmt.Fprintln(x.a.Stderr, "hint: "+terminal.PrintableLines(cli.Hint(err)))
	} else if c.Lost > 0 {
		x.a.Warn(fmt.Sprintf("%d of %s opaque", c.Lost, cli.Plural(c.Exports, "object is", "objects are")))
	}
}
