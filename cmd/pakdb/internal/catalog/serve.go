package catalog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/process"
	"pakdb/query"
	"pakdb/schema"
	"pakdb/web"
)

func newServeCommand(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Show the catalog in a browser",
		Long: `Show the catalog in a browser: builds, folders, files with their history,
references, values, code, pictures and sounds, changes between builds, and SQL.
Each page has a lasting address; .json appended gives its data. Nothing can be
written.

The server is for this machine alone. For others give --addr and --token-file
(a token of at least 16 characters), and --host for other names of this
machine; let a proxy speak TLS. Others see contents only from --read: folders
of archives. docs/serve.md explains more.`,
		Example: `  pakdb serve --open
  pakdb serve --addr 0.0.0.0:7070 --token-file token --read /builds
  curl -s localhost:7070/b/1.52/tree/Calligraphy.json | jq .rows`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runServe(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.addr, "addr", "127.0.0.1:7070", "listen at `HOST:PORT`")
	flags.StringVar(&o.tokenFile, "token-file", "", "the token is in `FILE`")
	flags.StringArrayVar(&o.hosts, "host", nil, "another `NAME` of this server; may repeat")
	flags.StringArrayVar(&o.read, "read", nil, "show contents only from `DIR`; may repeat")
	flags.BoolVar(&o.open, "open", false, "open the browser")
	o.time = 5 * time.Second
	cli.Flag(cmd, "timeout", &o.time)
	return cmd
}

// mostCached bounds the pages of the catalog that all connections keep.
const mostCached = 40 << 20

func runServe(ctx context.Context, a *cli.App, o options) error {
	token, err := o.check()
	if err != nil {
		return err
	}
	if err := errors.Join(cli.LimitMemory(), schema.LimitCaches(mostCached)); err != nil {
		return err
	}
	catalog := a.Catalog
	db, err := schema.OpenReadOnly(ctx, catalog)
	if err != nil {
		return openError(err, catalog)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxIdleConns(4)
	library, err := query.Load(query.UserQueries())
	if err != nil {
		return err
	}
	contents, err := o.contents(a, catalog)
	if err != nil {
		return err
	}
	if contents == nil {
		a.Warn("no contents are shown to others without --read DIR")
	} else {
		defer func() { _ = contents.Close() }()
	}
	s := web.New(web.Config{DB: db, Contents: contents, Registry: a.Registry(), Library: library, Token: token, Hosts: o.names(), Version: process.Version().Version,
		Queries: func(ctx context.Context) (*query.DB, func(), error) {
			return cli.OpenQueriesWith(ctx, a, catalog, contents)
		},
		Limits: web.Limits{Time: o.time, Queries: 4}})
	defer s.Close()
	return listen(ctx, a, s, o, catalog)
}

// contents returns what may be shown of contents; nil for nothing.
func (o *options) contents(a *cli.App, catalog string) (*query.Contents, error) {
	if !o.local() && len(o.read) == 0 {
		return nil, nil
	}
	c := cli.Contents(a, catalog)
	if err := c.Only(o.read...); err != nil {
		return nil, errors.Join(cli.Usage(err), c.Close())
	}
	return c, nil
}

func openError(err error, catalog string) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, schema.ErrEmpty) {
		return cli.WithHint(fmt.Errorf("%w: %s", cli.ErrNoCatalog, catalog), "pakdb index makes one; pakdb serve --demo shows what there would be")
	}
	return err
}

type options struct {
	addr      string
	tokenFile string
	hosts     []string
	read      []string
	open      bool
	time      time.Duration
}

// check refuses what would show the catalog to anyone, and returns the token.
func (o *options) check() (token string, err error) {
	if _, _, err := net.SplitHostPort(o.addr); err != nil {
		return "", fmt.Errorf("%w: --addr %q: want HOST:PORT", cli.ErrUsage, o.addr)
	}
	if o.time <= 0 {
		return "", fmt.Errorf("%w: --timeout %s: want more", cli.ErrUsage, o.time)
	}
	if o.tokenFile == "" {
		if !o.local() {
			return "", cli.WithHint(fmt.Errorf("%w: --addr %s: others could read all of the catalog", cli.ErrUsage, o.addr),
				"--token-file FILE asks them for a token; openssl rand -hex 16 > FILE makes one")
		}
		return "", nil
	}
	return cli.ReadToken(o.tokenFile)
}

// local reports whether nobody but this machine can reach the address.
func (o *options) local() bool {
	host, _, _ := net.SplitHostPort(o.addr) // check looked at it
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// names are what the server goes by: those that were given, and the address itself where it
// names one.
func (o *options) names() []string {
	host, _, _ := net.SplitHostPort(o.addr)
	if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.IsUnspecified()) {
		return append([]string{host}, o.hosts...)
	}
	return o.hosts
}
