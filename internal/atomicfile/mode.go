package atomicfile

import (
	"io/fs"
	"runtime"
)

// Mode returns the permissions of a file, or 0 on Windows, where files have none.
func Mode(st fs.FileInfo) fs.FileMode {
	if runtime.GOOS == "windows" {
		return 0
	}
	return st.Mode().Perm()
}

// WithExec returns permissions by which all who may read a file may run it, or nobody.
func WithExec(mode fs.FileMode, exec bool) fs.FileMode {
	if !exec {
		return mode &^ 0o111
	}
	return mode | mode&0o444>>2
}

// IsExec reports whether permissions are those of an executable file: its owner may run
// it.
func IsExec(mode fs.FileMode) bool { return mode&0o100 != 0 }

// SetExec makes a file executable, or not.
func (d *Dir) SetExec(name string, exec bool) error {
	st, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if mode := WithExec(st.Mode().Perm(), exec); mode != st.Mode().Perm() {
		return d.Chmod(name, mode)
	}
	return nil
}
