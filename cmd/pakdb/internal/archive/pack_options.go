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
	encrypt               []string // entries, index

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
	flags.StringSliceVar(&c.encrypt, "encrypt", nil, "encrypt `PARTS`: entries, index, none")
	cli.CompleteFlag(cmd, "encrypt", "entries", "index", "entries,index", "none")
}

// refuse is an error of usage if the user set an option, to whatever value, that
// archives of the version do not have.
func (c *createOptions) refuse(f *codecs.Format, version string) error {
	var has []string
	var refused codecs.Option
	for _, option := range codecs.AllOptions() {
		switch {
		case option == codecs.OptionKeyID, option == codecs.OptionSeed: // by keys and --like
		case f.HasOption(version, option):
			has = append(has, optionFlag(option))
		case c.gives(option) && refused == "":
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
	return cli.WithHint(fmt.Errorf("%w: %s has no option %s", cli.ErrUsage, name, optionFlag(refused)), name+" has "+strings.Join(has, ", "))
}

// optionFlag returns an option as the user gives it.
func optionFlag(option codecs.Option) string {
	switch option {
	case codecs.OptionEncrypt:
		return "--encrypt entries"
	case codecs.OptionEncryptIndex:
		return "--encrypt index"
	}
	return "--" + string(option)
}

// gives reports whether the user gave an option.
func (c *createOptions) gives(option codecs.Option) bool {
	switch option {
	case codecs.OptionEncrypt:
		return slices.Contains(c.encrypt, "entries")
	case codecs.OptionEncryptIndex:
		return slices.Contains(c.encrypt, "index")
	}
	return c.set(string(option))
}

// encryptsEntries reports whether the user said whether entries are encrypted.
func (c *createOptions) encryptsEntries() bool {
	return slices.ContainsFunc(c.encrypt, func(part string) bool { return part != "index" })
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
	for _, part := range c.encrypt {
		switch part {
		case "entries":
			o.Encrypt = true
		case "index":
			o.EncryptIndex = true
		case "none":
			o.Encrypt, o.EncryptIndex = false, false
		default:
			return fmt.Errorf("%w: --encrypt %s: want entries, index or none", cli.ErrUsage, part)
		}
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
	return c.encryptsEntries() || slices.ContainsFunc([]string{"method", "block-size", "effort"}, c.set)
}

type packOptions struct {
	out, kind, version, like string

	replace   []string
	overwrite bool
	create    createOptions
	order     string
	outside   bool // follow links out of folders
}

// refuseOverwriting returns an error if OUT exists, unless --overwrite is set.
func (opts *packOptions) refuseOverwriting(r *codecs.Registry) error {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil || opts.overwrite {
		return err
	}
	return refuseParts(r, opts.out)
}
