package pack

import (
	"fmt"
	"io"
	"os"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs/unrealpak"
	"pakdb/codecs/unrealpak/response"
)

// arrange puts the names of files in the order of an order file, which knows
// them by where they are mounted.
func arrange(names []string, orderFile, mount string) ([]string, error) {
	order, err := readOrder(orderFile)
	if err != nil || len(order) == 0 {
		return names, err
	}
	if mount == "" {
		mount = unrealpak.DefaultMount
	}
	lines := make([]response.Line, len(names))
	for i, name := range names {
		lines[i] = response.Line{Source: name, Dest: strings.TrimSuffix(mount, "/") + "/" + name}
	}
	response.Arrange(lines, order)
	arranged := make([]string, len(names))
	for i, l := range lines {
		arranged[i] = l.Source
	}
	return arranged, nil
}

func readOrder(name string) ([]response.OrderLine, error) {
	if name == "" {
		return nil, nil
	}
	return parseFile(name, response.ParseOrder)
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
