package codecstest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// WriteOptions checks that Create of f heeds or refuses each option, in each
// version: an option that f declares changes the bytes that are written, any
// other one is an error of class [codecs.ErrOption] that names format and
// option. items must hold content that compresses, of more than 8 KiB.
func WriteOptions(t *testing.T, f *codecs.Format, items []Item) {
	t.Helper()
	for _, version := range f.Versions {
		for _, option := range codecs.AllOptions() {
			t.Run(version+"/"+string(option), func(t *testing.T) {
				if err := tryOption(f, version, option, items); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func tryOption(f *codecs.Format, version string, option codecs.Option, items []Item) error {
	without, settings := settingsOf(f, version, option)
	plain, err := writeFiles(f, without, items)
	if err != nil {
		return fmt.Errorf("without the option: %w", err)
	}
	heeded := 0
	for _, o := range settings {
		b, err := writeFiles(f, o, items)
		switch has := f.HasOption(version, option); {
		case !has:
			err = refused(f, option, err)
		case err == nil && option == codecs.OptionMethod:
			heeded++ // the default may be the same method
		case err == nil && bytes.Equal(b, plain):
			err = errors.New("it is declared, and has no effect")
		case err == nil:
			heeded++
		case option == codecs.OptionMethod:
			err = refused(f, option, err) // not in this version
		}
		if err != nil {
			return fmt.Errorf("%+v: %w", o, err)
		}
	}
	if heeded == 0 && f.HasOption(version, option) {
		return errors.New("it is declared, and no value of it is taken")
	}
	return nil
}

// refused reports an error that is not of usage, or does not say what was
// refused.
func refused(f *codecs.Format, option codecs.Option, err error) error {
	var fe *codecs.FormatError
	switch {
	case err == nil:
		return errors.New("it is taken without a word")
	case !errors.As(err, &fe) || !errors.Is(err, codecs.ErrOption):
		return fmt.Errorf("not of class ErrOption: %w", err)
	case fe.Format != f.Name || fe.Field != string(option):
		return fmt.Errorf("names %q of %q, not %q of %q: %w", fe.Field, fe.Format, option, f.Name, err)
	}
	return nil
}

// settingsOf returns options without the one that is tried, and all values of it
// that are tried.
func settingsOf(f *codecs.Format, version string, option codecs.Option) (without *codecs.CreateOptions, with []*codecs.CreateOptions) {
	base := codecs.CreateOptions{Version: version}
	set := func(change func(*codecs.CreateOptions)) {
		o := base
		change(&o)
		with = append(with, &o)
	}
	key := func([16]byte) []byte { return bytes.Repeat([]byte{7}, 32) }
	switch option {
	case codecs.OptionMount:
		set(func(o *codecs.CreateOptions) { o.MountPoint = "../../../Elsewhere/Content/" })
	case codecs.OptionMethod:
		for _, m := range f.Methods {
			set(func(o *codecs.CreateOptions) { o.Method = compress.Method(m.String()) })
		}
		set(func(o *codecs.CreateOptions) { o.Method = "nonsense and longer than any name of a method may be" })
	case codecs.OptionBlockSize:
		if slices.Contains(f.Methods, compress.Zlib) && f.HasOption(version, option) {
			base.Method = compress.Zlib // blocks are those of compressed entries
		}
		set(func(o *codecs.CreateOptions) { o.BlockSize = 4096 })
	case codecs.OptionEffort:
		if slices.Contains(f.Methods, compress.Zlib) && f.HasOption(version, option) {
			base.Method = compress.Zlib // which alone has two
		}
		set(func(o *codecs.CreateOptions) { o.Fast = true })
	case codecs.OptionEncrypt:
		set(func(o *codecs.CreateOptions) { o.Encrypt, o.Keys = true, key })
	case codecs.OptionEncryptIndex:
		set(func(o *codecs.CreateOptions) { o.EncryptIndex, o.Keys = true, key })
	case codecs.OptionKeyID:
		set(func(o *codecs.CreateOptions) { o.KeyID = [16]byte{1} })
	case codecs.OptionAlign:
		set(func(o *codecs.CreateOptions) { o.Align = 1 << 14 })
	case codecs.OptionSeed:
		set(func(o *codecs.CreateOptions) { o.Seed = 7 })
	}
	return &base, with
}

// writeFiles returns the bytes of all files of the archive, one after the other.
func writeFiles(f *codecs.Format, o *codecs.CreateOptions, items []Item) ([]byte, error) {
	var beside []*Buffer
	own := *o
	own.Sibling = func(string) (io.WriteSeeker, error) {
		beside = append(beside, &Buffer{})
		return beside[len(beside)-1], nil
	}
	b, err := write(f, &own, items)
	for _, s := range beside {
		b = append(b, s.Bytes()...)
	}
	return b, err
}
