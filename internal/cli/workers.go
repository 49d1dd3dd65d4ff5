package cli

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
	"erelong.dev/erelong/internal/work/queue"
)

// localWorkers begins the value of --workers that needs no server.
const localWorkers = "local:"

// patience is how long a run waits for the first worker of its version.
const patience = 10 * time.Second

// serverOptions are about the connection to a server.
type serverOptions struct {
	credentials, ca, certificate, key, team string
}

func (o *serverOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.credentials, "nats-creds", "", "a file of credentials for the NATS server")
	fl.StringVar(&o.ca, "nats-ca", "",
		"a file with the authority that signed the certificate of the NATS server")
	fl.StringVar(&o.certificate, "nats-cert", "",
		"a file with a certificate for the NATS server, with --nats-key")
	fl.StringVar(&o.key, "nats-key", "", "a file with the key of --nats-cert")
	fl.StringVar(&o.team, "team-key", "",
		"a file with a secret of the team, which signs results and checkpoints: only with it are "+
			"those of other runs used\n(default: ERELONG_WORK_KEY)")
}

// addressOptions are the server of a command that is about the server itself.
type addressOptions struct {
	serverOptions
	url   string
	build string // of this program, where its parent knows it
}

func (o *addressOptions) flags(fl *pflag.FlagSet) {
	o.serverOptions.flags(fl)
	fl.StringVar(&o.url, "nats", os.Getenv(queue.EnvServer),
		"the address of the server, as in nats://HOST:4222 (default: "+queue.EnvServer+")")
	fl.Lookup("nats").DefValue = "" // it may have a password
}

// connect connects to the server.
func (o *addressOptions) connect(ctx context.Context, command string) (*queue.Conn, error) {
	if o.url == "" {
		return nil, usage("%s needs the address of a NATS server: --nats nats://HOST:4222, or %s",
			command, queue.EnvServer)
	}
	server, err := o.server(o.url)
	if err != nil {
		return nil, err
	}
	if o.build == "" {
		if o.build, err = buildID(); err != nil {
			return nil, err
		}
	}
	return connected(queue.Connect(ctx, server, o.build))
}

// connected gives the error of a connection its exit code: it is no defect of this program.
func connected(c *queue.Conn, err error) (*queue.Conn, error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		err = &exitError{ExitUsage, err}
	}
	return c, err
}

// server is the server at an address.
func (o *serverOptions) server(url string) (queue.Server, error) {
	s := queue.Server{URL: url, Credentials: o.credentials, CA: o.ca, Certificate: o.certificate,
		Key: o.key, Sockets: os.Getenv(queue.EnvSockets)}
	if (o.certificate == "") != (o.key == "") {
		return s, usage("--nats-cert and --nats-key go together")
	}
	if text := os.Getenv(queue.EnvSilence); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return s, usage("%s=%s: write a time, as in 30s", queue.EnvSilence, text)
		}
		s.Silence = d
	}
	text := os.Getenv(queue.EnvKey)
	if o.team != "" {
		file, err := os.ReadFile(o.team)
		if err != nil {
			return s, usage("--team-key: %v", err)
		}
		text = strings.TrimSpace(string(file))
	}
	if text == "" {
		return s, nil
	}
	if len(text) < 16 {
		return s, usage("the key of the team has fewer than 16 characters, so it can be " +
			"guessed; make one with: openssl rand -hex 32")
	}
	s.Team = []byte(text)
	if key, err := hex.DecodeString(text); err == nil {
		s.Team = key
	}
	return s, nil
}

// workersOptions are about workers in other processes.
type workersOptions struct {
	workers string
	divide  bool
	need    []string
	given   func(option string) bool // on the command line
}

func (o *workersOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.workers, "workers", "",
		"have the work done by erelong worker processes at this NATS server (nats://HOST:PORT), "+
			"or by N processes on this machine\n(local:N), which needs nothing installed")
	fl.BoolVar(&o.divide, "divide", false,
		"with --workers: divide the states of each exploration among all workers, for one that "+
			"is too large for a single machine")
	fl.StringSliceVar(&o.need, "need", nil,
		"with --workers: only workers with all these --tags do the work, as in memory=64G")
	o.given = func(option string) bool { return given(fl, option) }
}

// spread are the groups about workers in other processes, nil where a command has none.
type spread struct {
	Workers *workersOptions
	Server  *serverOptions
}

func newSpread() spread { return spread{&workersOptions{}, &serverOptions{}} }

// given reports whether workers do the work.
func (o *spread) given() bool { return o.Workers != nil && o.Workers.workers != "" }

// idle names the options without effect beside others.
func (o *spread) idle() (out []idleOption) {
	because := func(why string, flags ...string) {
		for _, f := range flags {
			out = append(out, idleOption{f, why})
		}
	}
	of := []string{"nats-creds", "nats-ca", "nats-cert", "nats-key", "team-key"}
	switch {
	case o.Workers == nil:
	case !o.given():
		because("there are no --workers", append(of, "divide", "need")...)
	case strings.HasPrefix(o.Workers.workers, localWorkers):
		because("the server of --workers local is inside this program, and has a password", of...)
		because("the workers of --workers local are all alike", "need")
	}
	return out
}

// crew is the workers of a run.
type crew struct {
	conn  *queue.Conn
	run   *queue.Run
	local *queue.Local
	wait  int // for this number of workers
	quiet bool
}

// assignment is what workers are to do.
type assignment struct {
	path    string
	systems []*derive.Derived
	derive  derive.Options // how they were derived
	anew    bool           // no result of another run counts
	quiet   bool
	divide  bool // the states of an exploration
}

// crew connects to the workers, nil without.
func (a *analysis) crew(
	ctx context.Context, s *streams, path string, systems []*derive.Derived, o *verify.Options,
) (*crew, error) {
	if !a.given() {
		return nil, nil
	}
	for _, d := range systems {
		if c := d.Spec.System.Computed; c != nil {
			if !a.Workers.given("workers") { // a project's workers, for its other files
				fmt.Fprintf(s.err, "%s is of several files, so it is checked without workers\n",
					path)
				return nil, nil
			}
			return nil, usage("--workers: %s is %s of several files, and a worker reads one text: "+
				"check it without --workers", path, c.Language())
		}
	}
	why := o.Explicit.Undivided()
	if o.Inductive || !a.explores() {
		why = cmp.Or(why, nothingExplored)
	}
	if why != "" && a.Workers.divide && a.Workers.given("divide") {
		return nil, usage("--divide: %s", why)
	}
	if a.Stability != nil && a.Stability.runs > 0 {
		return nil, usage("--workers does not go with --stability")
	}
	derived, err := a.Pass.derivation(derive.Options{Unreduced: a.countsProcesses()})
	if err != nil {
		return nil, err
	}
	return a.begin(ctx, s, &assignment{path: path, systems: systems, derive: derived,
		anew: a.Cache.anew(), quiet: a.Output.Report.quiet,
		divide: a.Workers.divide && why == ""}, o)
}

// nothingExplored is why nothing is divided.
const nothingExplored = "nothing is explored from initial states"

// begin connects to the workers, and has the options say that they do the work.
func (o *spread) begin(
	ctx context.Context, s *streams, what *assignment, to *verify.Options,
) (*crew, error) {
	if why := work.Refused(*to, what.divide); why != "" {
		return nil, usage("%s", why)
	}
	needs, err := validTags("need", o.Workers.need)
	if err != nil {
		return nil, err
	}
	c := &crew{wait: 1, quiet: what.quiet}
	server, err := o.Server.server(o.Workers.workers)
	if err != nil {
		return nil, err
	}
	var build string
	if n, ok := strings.CutPrefix(o.Workers.workers, localWorkers); ok {
		server, build, err = c.start(n, to.Explicit.Checkpoint.Dir)
	} else {
		if to.Explicit.Checkpoint.Dir != "" && len(server.Team) == 0 {
			return nil, usage("--checkpoint with --workers at a server needs the key of the team "+
				"(--team-key FILE, or %s), which signs what is saved; otherwise whoever can "+
				"write to the folder could change the verdicts", queue.EnvKey)
		}
		build, err = buildID()
	}
	if err != nil {
		return nil, err
	}
	if c.conn, err = connected(queue.Connect(ctx, server, build)); err == nil {
		if err = c.conn.Fit(ctx, needs, c.wait, patience); err != nil {
			err = &exitError{ExitUsage, err}
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, c.close() // the run is over before it began, and says so of each property
	case err != nil:
		return nil, errors.Join(err, c.close())
	}
	source := &work.Source{Name: spoken(what.path), Derive: what.derive, Systems: what.systems,
		Text: what.systems[0].Spec.System.Source.Text}
	notice := func(text string) { fmt.Fprintf(s.err, "erelong: %s\n", text) }
	record := queue.Record{ID: s.run, Command: s.args, File: source.Name, Text: source.Text,
		Needs: needs}
	c.run, err = c.conn.Begin(ctx, record, what.anew, notice)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	if c.local == nil && !c.quiet {
		fmt.Fprintf(s.err, "run %s: if this program is killed, erelong jobs attach %s goes on\n",
			c.run.ID, c.run.ID)
	}
	to.Elsewhere = &queue.Spread{Run: c.run, Source: source, Divide: what.divide,
		Every: to.Explicit.Checkpoint.Every}
	return c, nil
}

// start starts a server and workers on this machine, which are of the build that it names.
func (c *crew) start(
	number, saves string,
) (server queue.Server, build string, err error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 256 {
		return server, "",
			usage("--workers local:%s: write a number of processes from 1 to 256", number)
	}
	var options []string
	if queue.SameProgram { // to read all of it takes as long as a small exploration
		build = Version() + "-same"
		options = []string{"--build", build}
	} else if build, err = buildID(); err != nil {
		return server, "", err
	}
	if saves != "" {
		if saves, err = filepath.Abs(saves); err != nil {
			return server, "", err
		}
		options = append(options, "--saves", saves)
	}
	if c.local, err = queue.StartServer(""); err != nil {
		return server, "", err
	}
	c.wait = n
	if err := c.local.Spawn(n, nil, options...); err != nil {
		return server, "", errors.Join(err, c.close())
	}
	return c.local.Server, build, nil
}

// end says who did the work, and ends the connection.
func (c *crew) end(ctx context.Context, s *streams) {
	if c == nil {
		return
	}
	if !c.quiet {
		fmt.Fprintln(s.err, c.run.Summary())
	}
	how := "finished"
	if ctx.Err() != nil {
		how = "interrupted, or out of time"
	}
	c.run.End(how)
	_ = c.close()
}

func (c *crew) close() (err error) {
	if c.conn != nil {
		c.conn.Close()
	}
	if c.local != nil {
		err = c.local.Close()
	}
	return err
}

// here are the settings of this process for jobs.
func here(share int, memory int64) work.Here {
	h := work.Here{Memory: memory}
	if share > 1 && memory == 0 {
		h.Memory = machineShare(share)
	}
	if dir, err := proofsDir(); err == nil && dir != "" {
		h.Proofs = smt.NewCache(dir)
	}
	return h
}
