package archive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// createOptions are the options of new archives that only some formats have. What
// a format lacks it refuses itself.
type createOptions struct {
	method, effort, mount string
	blockSize             int
	align                 int64
	encrypt, encryptIndex bool
	seed                  uint64

	set func(flag string) bool // whether the user set it
}

func (c *createOptions) add(cmd *cobra.Command) {
	c.effort = "normal"
	flags := cmd.Flags()
	flags.StringVar(&c.method, "method", "", "compress by `METHOD` (pakdb formats); none stores")
	cli.Flag(cmd, "effort", &c.effort)
	cli.CompleteFlag(cmd, "effort", "normal", "fast")
	flags.StringVar(&c.mount, "mount", "", "mount point `PATH`, as ../../../Game/Content/")
	flags.IntVar(&c.blockSize, "block-size", 0, "compress in blocks of `N` bytes")
	flags.Int64Var(&c.align, "align", 0, "start entries at multiples of `N` bytes")
	flags.BoolVar(&c.encrypt, "encrypt", false, "encrypt entries")
	flags.BoolVar(&c.encryptIndex, "encrypt-index", false, "encrypt the index")
	flags.Uint64Var(&c.seed, "seed", 0, "seed `N` of path hashes")
}

// refuse is an error of usage if the user set an option, to whatever value, that
// archives of the version do not have.
func (c *createOptions) refuse(f *codecs.Format, version string) error {
	var has []string
	var refused codecs.Option
	for _, option := range codecs.AllOptions() {
		switch flag := string(option); {
		case option == codecs.OptionKeyID: // the keys tell
		case f.HasOption(version, option):
			has = append(has, "--"+flag)
		case c.set(flag) && refused == "":
			refused = option
		}
	}
	if refused == "" {
		return nil
	}
	name := strings.TrimSpace(f.Name + " " + version)
	if has == nil {
		has = []string{"none of these options"}
	}
	return cli.WithHint(fmt.Errorf("%w: %s has no option --%s", cli.ErrUsage, name, refused), name+" has "+strings.Join(has, ", "))
}

// apply overrides what a model or the format says by what the user says.
func (c *createOptions) apply(f *codecs.Format, o *codecs.CreateOptions) error {
	if err := c.refuse(f, o.Version); err != nil {
		return err
	}
	if m := c.newMethod(); m != "" {
		if !slices.ContainsFunc(f.Methods, func(known compress.Method) bool { return known.String() == string(m) }) {
			return cli.WithHint(fmt.Errorf("%w: %s has no method %q that pakdb writes", cli.ErrUsage, f.Name, c.method),
				"there are "+writableMethods(f))
		}
		o.Method = m
	}
	if c.effort != "normal" && c.effort != "fast" {
		return fmt.Errorf("%w: --effort %q: want normal or fast", cli.ErrUsage, c.effort)
	}
	o.Fast = c.effort == "fast"
	if c.set("mount") {
		o.MountPoint = strings.ReplaceAll(c.mount, `\`, "/")
	}
	if c.set("block-size") {
		o.BlockSize = c.blockSize
	}
	if c.set("align") {
		o.Align = c.align
	}
	if c.set("encrypt") {
		o.Encrypt = c.encrypt
	}
	if c.set("encrypt-index") {
		o.EncryptIndex = c.encryptIndex
	}
	if c.set("seed") {
		o.Seed = c.seed
	}
	return nil
}

func writableMethods(f *codecs.Format) string {
	var names []string
	for _, m := range f.Methods {
		names = append(names, m.String())
	}
	return strings.Join(names, ", ")
}

// newMethod is the method that the user wants, "" for none in particular.
func (c *createOptions) newMethod() compress.Method {
	return compress.Method(strings.ToLower(c.method))
}

// reencodes reports whether stored bytes of another archive cannot be what the
// user wants.
func (c *createOptions) reencodes() bool {
	return slices.ContainsFunc([]string{"method", "block-size", "effort", "encrypt"}, c.set)
}

type packOptions struct {
	out, kind, version, like string

	replace   []string
	overwrite bool
	create    createOptions
	response  string
	order     string
	outside   bool // follow links out of folders
}

// refuseOverwriting keeps what stands at OUT, unless told otherwise.
func (opts *packOptions) refuseOverwriting(r *codecs.Registry) error {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil || opts.overwrite {
		return err
	}
	return refuseParts(r, opts.out)
}
