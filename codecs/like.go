package codecs

import "strings"

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
