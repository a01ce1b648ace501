package unrealpak_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
)

// An encrypted pak is written, and read with its key.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "Game-WindowsNoEditor.pak")

	var keys unrealpak.Keyring
	if err := keys.Add("0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"); err != nil {
		log.Fatal(err)
	}
	options := &codecs.CreateOptions{Method: compress.Zlib, Keys: keys.Key, Encrypt: true, EncryptIndex: true}
	err = codecs.WriteFile(ctx, path, unrealpak.Format(), options, func(w codecs.Writer) error {
		return w.Add(ctx, &codecs.Entry{Name: "Game/Config/Game.ini"}, strings.NewReader("[Core]\nSpeed=3\n"))
	})
	if err != nil {
		log.Fatal(err)
	}

	registry := &codecs.Registry{Formats: []*codecs.Format{unrealpak.Format()}}
	archive, err := codecs.OpenFile(ctx, path, registry, &codecs.Options{Keys: keys.Key})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	files, err := codecs.FS(ctx, archive)
	if err != nil {
		log.Fatal(err)
	}
	content, err := files.ReadFile("Game/Config/Game.ini")
	fmt.Printf("%s, encrypted: %v\n%s%v\n", archive.Info().Version, archive.Info().Encrypted, content, err)
	// Output:
	// 11, encrypted: true
	// [Core]
	// Speed=3
	// <nil>

}

// A game packs what a player made into a pak that is mounted over its own.
func Example_playersContent() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	content := fstest.MapFS{"Content/Maps/Mine.umap": {Data: []byte("a map")}, "Content/readme.txt": {Data: []byte("a text")}}

	pak := filepath.Join(dir, "MyMod_1_P.pak")
	options := &codecs.CreateOptions{Method: compress.Zlib, MountPoint: "../../../Game/"}
	err = codecs.WriteFile(ctx, pak, unrealpak.Format(), options, func(w codecs.Writer) error {
		return fs.WalkDir(content, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			f, err := content.Open(name)
			if err != nil {
				return err
			}
			return errors.Join(w.Add(ctx, &codecs.Entry{Name: name}, f), f.Close())
		})
	})
	if err != nil {
		log.Fatal(err)
	}

	registry := &codecs.Registry{Formats: []*codecs.Format{unrealpak.Format()}}
	archive, err := codecs.OpenFile(ctx, pak, registry, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	for e, err := range archive.Entries() {
		fmt.Println(archive.Info().MountPoint, e.Name, e.Size, err)
	}
	// Output:
	// ../../../Game/ Content/Maps/Mine.umap 5 <nil>
	// ../../../Game/ Content/readme.txt 6 <nil>
}
