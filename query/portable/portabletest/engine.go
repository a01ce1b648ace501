package portabletest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Engine starts ClickHouse in a process of node until the test ends, and returns the address
// of a database in it. It needs the package chdb in the folder that PAKDB_NODE names, and
// skips the test without. root is the path of the module.
func Engine(t testing.TB, root string) string {
	t.Helper()
	node := os.Getenv("PAKDB_NODE")
	if node == "" {
		t.Skip("PAKDB_NODE names no folder with node_modules")
	}
	script, err := filepath.Abs(filepath.Join(root, "query", "clickhouse", "testdata", "shim.js"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script, t.TempDir())
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(node, "node_modules"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "clickhouse://127.0.0.1:" + strings.TrimSpace(port) + "/game"
}
