package main

import (
	"errors"
	"os"
	"strconv"

	"pakdb/testdata/gen/fixture"
)

// mkpak writes a pak of Retro Studios:
//
//	mkpak FILE VERSION     the small one of testdata/gen
//	mkpak FILE -n COUNT    one of so many entries
func mkpak(file string, args []string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if len(args) < 2 {
		return errors.Join(fixture.Retro(f, args[0]), f.Close())
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	return errors.Join(fixture.LargeRetro(f, n), f.Close())
}
