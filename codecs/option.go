package codecs

import (
	"errors"
	"slices"
	"strings"

	"pakdb/codecs/compress"
)

// ErrOption is the class of options that a writer was given and does not have,
// or does not have with that value. It is a mistake of whoever asks, and says
// nothing about a file. It is of class [errors.ErrUnsupported] as well.
var ErrOption error = unsupportedOption{}

type unsupportedOption struct{}

func (unsupportedOption) Error() string { return "not an option of the format" }

func (unsupportedOption) Is(target error) bool { return target == errors.ErrUnsupported }

// Option names one of the [CreateOptions] that not every format has. The names
// are those of the flags of pakdb pack.
type Option string

// The options, in the order in which they are checked.
const (
	OptionMount        Option = "mount"
	OptionMethod       Option = "method"
	OptionBlockSize    Option = "block-size"
	OptionEffort       Option = "effort"
	OptionEncrypt      Option = "encrypt"
	OptionEncryptIndex Option = "encrypt-index"
	OptionKeyID        Option = "key-id"
	OptionAlign        Option = "align"
	OptionSeed         Option = "seed"
	optionTemplate     Option = "template"
)

// AllOptions returns every option that a user can give.
func AllOptions() []Option {
	return []Option{OptionMount, OptionMethod, OptionBlockSize, OptionEffort, OptionEncrypt, OptionEncryptIndex, OptionKeyID, OptionAlign, OptionSeed}
}

// given returns the options that are set.
func (o *CreateOptions) given() []Option {
	var all []Option
	for _, of := range []struct {
		name Option
		set  bool
	}{
		{OptionMount, o.MountPoint != ""},
		{OptionMethod, o.Method != compress.None},
		{OptionBlockSize, o.BlockSize != 0},
		{OptionEffort, o.Fast},
		{OptionEncrypt, o.Encrypt},
		{OptionEncryptIndex, o.EncryptIndex},
		{OptionKeyID, o.KeyID != [16]byte{}},
		{OptionAlign, o.Align != 0},
		{OptionSeed, o.Seed != 0},
		{optionTemplate, o.Template != nil},
	} {
		if of.set {
			all = append(all, of.name)
		}
	}
	return all
}

// CheckOptions refuses, by a *FormatError of class ErrOption, an option of o that
// is set and that archives of o.Version do not have. Every Create calls it with
// its own format; o may be nil.
func (f *Format) CheckOptions(o *CreateOptions) error {
	if o == nil {
		return nil
	}
	for _, option := range o.given() {
		if option == optionTemplate && f.Like != nil || f.HasOption(o.Version, option) {
			continue
		}
		err := ErrOption
		if o.Version != "" {
			err = Errorf(ErrOption, "version %s", o.Version)
		}
		return &FormatError{Format: f.Name, Field: string(option), Off: -1, Err: err}
	}
	return nil
}

// HasOption reports whether archives of a version that Create writes have an
// option; "" is the default version.
func (f *Format) HasOption(version string, o Option) bool {
	if version == "" && len(f.Versions) > 0 {
		version = f.Versions[0]
	}
	return f.Options != nil && slices.Contains(f.Options(version), o)
}

// OptionsLike returns the options that make Create write an archive of the same
// kind as one that Open returned: those of Like, and of a format without it the
// mount point, and the version whose name is a word of what Info says, as 1.6 in
// "SQLite 1.6"; without such a one the default.
func (f *Format) OptionsLike(a Archive) (*CreateOptions, error) {
	if f.Like != nil {
		return f.Like(a)
	}
	info := a.Info()
	o := &CreateOptions{MountPoint: info.MountPoint}
	for word := range strings.FieldsSeq(info.Version) {
		for _, v := range f.Versions {
			if strings.EqualFold(v, word) {
				o.Version = v
				return o, nil
			}
		}
	}
	return o, nil
}
