// Command bundle makes what a release has besides its programs. scripts/release
// calls it; see there.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"pakdb/internal/bundle"
)

const usage = `usage: bundle archive SECONDS OUT.zip|OUT.tar.gz DIR
       bundle licences GOROOT BINARY... < lines of MODULE TAB DIR
       bundle sbom VERSION BINARY... < docs/dependencies.md
       bundle sums DIR`

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) < 2 {
		return errors.New(usage)
	}
	switch name, args := args[0], args[1:]; {
	case name == "archive" && len(args) == 3:
		seconds, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return err
		}
		return bundle.WriteArchive(args[1], args[2], time.Unix(seconds, 0))
	case name == "licences" && len(args) > 1:
		programs, err := readPrograms(args[1:])
		if err != nil {
			return err
		}
		folders, err := readFolders(in)
		if err != nil {
			return err
		}
		return bundle.WriteLicences(out, programs, args[0], folders)
	case name == "sbom" && len(args) > 1:
		programs, err := readPrograms(args[1:])
		if err != nil {
			return err
		}
		known, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		return bundle.WriteSBOM(out, args[0], programs, bundle.ParseDependencies(string(known)))
	case name == "sums" && len(args) == 1:
		return bundle.WriteSums(out, args[0])
	}
	return errors.New(usage)
}

func readPrograms(names []string) (programs []*bundle.Program, err error) {
	for _, name := range names {
		p, err := bundle.ReadProgram(name)
		if err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// readFolders reads where the sources of modules are.
func readFolders(in io.Reader) (map[string]string, error) {
	folders := map[string]string{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		module, dir, _ := strings.Cut(lines.Text(), "\t")
		folders[module] = dir
	}
	return folders, lines.Err()
}
