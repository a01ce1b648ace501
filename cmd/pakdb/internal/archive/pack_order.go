package archive

import (
	"fmt"
	"io"
	"os"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/regular"
)

// arrange puts files in the order of an order file, which knows them by where they are
// mounted.
func arrange(files []regular.File, orderFile, mount string) ([]regular.File, error) {
	order, err := readOrder(orderFile)
	if err != nil || len(order) == 0 {
		return files, err
	}
	if mount == "" {
		mount = unrealpak.DefaultMount
	}
	lines, byName := make([]unrealpak.ResponseLine, len(files)), map[string]regular.File{}
	for i, f := range files {
		lines[i], byName[f.Name] = unrealpak.ResponseLine{Source: f.Name, Dest: strings.TrimSuffix(mount, "/") + "/" + f.Name}, f
	}
	unrealpak.Arrange(lines, order)
	arranged := make([]regular.File, len(files))
	for i, l := range lines {
		arranged[i] = byName[l.Source]
	}
	return arranged, nil
}

func readOrder(name string) ([]unrealpak.OrderLine, error) {
	if name == "" {
		return nil, nil
	}
	return parseFile(name, unrealpak.ParseOrder)
}

func parseFile[T any](name string, parse func(io.Reader) ([]T, error)) ([]T, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, cli.WithHint(err, operand.NearestFile(name))
	}
	defer func() { _ = file.Close() }()
	lines, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return lines, nil
}
