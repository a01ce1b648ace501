package main

import (
	"net/http/httptest"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/rogpeppe/go-internal/testscript"
)

// s3serve is a service of S3 with one bucket, in memory, until the script ends:
//
//	s3serve VARIABLE BUCKET   the variable is its endpoint
func s3serve(ts *testscript.TestScript, _ bool, args []string) {
	backend := s3mem.New()
	ts.Check(backend.CreateBucket(args[1]))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}
