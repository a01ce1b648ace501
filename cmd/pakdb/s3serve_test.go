package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/rogpeppe/go-internal/testscript"
)

// s3serve is a service of S3 with one bucket, in memory, until it is killed:
//
//	s3serve FILE BUCKET   its endpoint is written to the file once it answers
func s3serve() {
	if err := serveS3(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "s3serve:", err)
		os.Exit(1)
	}
}

func serveS3(file, bucket string) error {
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		return err
	}
	return serveAt(file, "http://", gofakes3.New(backend).Server())
}

// serveAt serves until the process is killed. The address, after a scheme, is written to a
// file once it answers.
func serveAt(file, scheme string, h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".tmp", []byte(scheme+l.Addr().String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(file+".tmp", file); err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	return s.Serve(l)
}

// waitFor sets a variable to what is in a file, once it is there:
//
//	waitfor VARIABLE FILE
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for range 2400 { // two minutes: it starts a program, on a machine that may be busy
		if text, err := os.ReadFile(ts.MkAbs(args[1])); err == nil {
			ts.Setenv(args[0], string(text))
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s did not come", args[1])
}
