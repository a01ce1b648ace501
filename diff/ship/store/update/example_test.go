package update_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

// A launcher updates a game from a signed store.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, game := filepath.Join(dir, "server"), filepath.Join(dir, "game")
	key := publishOne(ctx, server, filepath.Join(dir, "build"))

	remote, err := update.OpenRemote(server, update.RemoteOptions{Key: key, Rate: 10 << 20})
	if err != nil {
		log.Fatal(err)
	}
	folder, plan, err := update.Prepare(ctx, remote, game, update.Options{Registry: &codecs.Registry{}})
	if errors.Is(err, trust.ErrRollback) || errors.Is(err, trust.ErrExpired) {
		log.Fatal("try another copy of the store: ", err)
	} else if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	fmt.Println("build", plan.Build, "new files:", plan.Bill.New)
	if err := folder.Apply(ctx, plan, func(int64) {}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("remembers:", update.Remembers(game))
	// Output:
	// build 1.0 new files: 1
	// remembers: true
}

// publishOne publishes a build of one file and returns the key that signs it.
func publishOne(ctx context.Context, server, from string) *delta.PublicKey {
	key, err := delta.GenerateKey()
	if err == nil {
		err = os.Mkdir(from, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(from, "game.dat"), []byte("bytes"), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
	files, err := delta.OpenFiles([]string{from})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = files.Close() }()
	if _, err := publish.Publish(ctx, server, "1.0", files.Inputs, &publish.Options{Key: key}); err != nil {
		log.Fatal(err)
	}
	return key.Public()
}
