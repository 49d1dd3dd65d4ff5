package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/work/queue"
)

// withParentFlag is the option of workers that another run starts.
const withParentFlag = "with-parent"

// workerSettings are the options of erelong worker.
type workerSettings struct {
	addressOptions
	name, memory string
	tags         []string
	jobs, share  int
	jobTime      time.Duration
	jobMemory    string
	saves        string
	withParent   bool
	status       bool
	page         int
	log          string
}

func workerCommand(s *streams) *cobra.Command {
	var o workerSettings
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Do the work of other runs, which reach it by a NATS server",
		Long: `worker takes jobs from a NATS server with JetStream (nats-server -js) until it is interrupted, and does them with the engines
of this program. verify, check, prove, live and infer with --workers submit jobs. Only jobs of the same version of erelong are
taken. A job of a worker that dies is done by another one. See erelong help machines.`,
		Args: noFile,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	fl := cmd.Flags()
	o.flags(fl)
	fl.StringVar(&o.name, "name", "",
		"the name of this worker, which must be its own (default: the host and the process)")
	fl.StringVar(&o.memory, "memory", "",
		"memory for the states of each job, as in 512M or 8G (default: three quarters of the "+
			"machine's, shared by the jobs)")
	fl.DurationVar(&o.jobTime, "job-timeout", 0,
		"give up a job that takes longer, as in 1h30m; its properties are unknown, with this as "+
			"the reason\n(0: none)")
	fl.StringVar(&o.jobMemory, "job-memory", "",
		"give up a job for which the worker and its solvers need more memory, as in 4G (with "+
			"--jobs N: the oldest job,\nbeyond N times this); --memory is three quarters of it, "+
			"unless given")
	fl.StringVar(&o.saves, "saves", "",
		"the folder of --checkpoint of commands with --divide, as it is seen here: explorations "+
			"are saved in it")
	fl.StringSliceVar(&o.tags, "tags", nil,
		"what is special about this worker, as in memory=64G: runs with --need memory=64G have "+
			"their work done\nonly by such workers. For each solver there is a tag solver=NAME "+
			"anyway")
	fl.IntVarP(&o.jobs, "jobs", "j", 1, "jobs at the same time")
	fl.IntVar(&o.share, "share", 1, "")
	fl.BoolVar(&o.withParent, withParentFlag, false, "")
	fl.BoolVar(&o.status, "status", false,
		"do no work, but say which workers there are, what they do, and what waits for what")
	fl.IntVar(&o.page, "page", 0,
		"have a page with workers and runs at http://127.0.0.1:PORT, and metrics for Prometheus "+
			"at\n"+
			"/metrics; with --status without doing work (0: none)")
	fl.StringVar(&o.log, "log", "text", "how the log is written: text or json")
	fl.StringVar(&o.build, "build", "", "")
	for _, name := range []string{"share", withParentFlag, "build"} {
		_ = fl.MarkHidden(name)
	}
	return cmd
}

func (o *workerSettings) run(ctx context.Context, s *streams) error {
	if o.jobs < 1 || o.share < 1 {
		return usage("--jobs must be positive")
	}
	tags, err := validTags("tags", o.tags)
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		return strings.HasPrefix(tag, "solver=")
	})
	if len(own) > queue.MostTags {
		return usage("--tags: at most %d besides solvers, since there is a queue for each set of "+
			"them", queue.MostTags)
	}
	if o.page < 0 || o.page > 65535 {
		return usage("--page %d: write the number of a port", o.page)
	}
	if o.log != "text" && o.log != "json" {
		return usage("--log %s: write text or json", o.log)
	}
	if o.jobTime < 0 {
		return usage("--job-timeout %s: write a time, as in 1h30m", o.jobTime)
	}
	limits := queue.Limits{Time: o.jobTime}
	if limits.Memory, err = parseBytes("job-memory", o.jobMemory); err != nil {
		return err
	}
	memory, err := parseBytes("memory", o.memory)
	if err != nil {
		return err
	}
	if memory == 0 {
		memory = limits.Memory / 4 * 3
	}
	if o.withParent {
		// A terminal interrupts it together with its parent, which needs it until its own end.
		within, cancel := queue.WithParent(context.WithoutCancel(ctx), s.in)
		defer cancel()
		ctx = within
	}
	c, err := o.connect(ctx, "worker")
	if err != nil {
		return err
	}
	defer c.Close()
	if o.page != 0 {
		stop, err := watch(c, o.page)
		if err != nil {
			return err
		}
		defer stop()
	}
	if o.status {
		if err := writeOverview(ctx, s, c); err != nil || o.page == 0 {
			return err
		}
		<-ctx.Done()
		return nil
	}
	if o.name == "" {
		host, _ := os.Hostname()
		o.name = fmt.Sprintf("%s-%d", plain(host), os.Getpid())
	}
	if o.name != plain(o.name) {
		return usage("--name %s: write letters, digits, - and _", o.name)
	}
	var handler slog.Handler = slog.NewTextHandler(s.err, nil)
	if o.log == "json" {
		handler = slog.NewJSONHandler(s.err, nil)
	}
	w := &queue.Worker{Name: o.name, Jobs: o.jobs, Tags: tags, Here: here(o.share*o.jobs, memory),
		Limits: limits, Saves: queue.Saves{Dir: o.saves}, Log: slog.New(handler)}
	return w.Work(ctx, c)
}

// watch has a page on loopback, until stop is called.
func watch(c *queue.Conn, port int) (stop func(), err error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, usage("--page %d: %v", port, err)
	}
	web := &http.Server{Handler: c.Watch(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(l) }()
	return func() { _ = web.Close() }, nil
}

// writeOverview prints a table of the workers, and what they have of divided explorations, and what
// waits, where there is such a thing.
func writeOverview(ctx context.Context, s *streams, c *queue.Conn) error {
	o, err := c.Overview(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "worker\tversion\tjobs\tdone\tfailed\tsolvers\ttags\tnow")
	for _, p := range o.Workers {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n", p.Name, p.Build, p.Jobs, p.Done,
			p.Failed, cmp.Or(strings.Join(p.Solvers, " "), "none"),
			cmp.Or(strings.Join(p.Tags, " "), "-"), cmp.Or(strings.Join(p.Now(), "; "), "-"))
	}
	head := fmt.Sprintf("\nrun\texploration\tworker\tparts of %d\tlevel\tstates\tMB\tnow\n",
		explicit.Parts)
	for _, p := range o.Workers {
		for _, x := range p.Portions {
			fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n", head, x.Run, x.Title, p.Name,
				x.PartList(), x.Level, x.States, x.Bytes/1e6, o.Now(x))
			head = ""
		}
	}
	head = "\nrun\tjobs\tone of them\tneeds\twaits for\n"
	for _, r := range o.Runs {
		for _, x := range r.Waits {
			fmt.Fprintf(w, "%s%s\t%d\t%s\t%s\t%s\n", head, r.ID, x.Jobs, x.Title, x.Needs,
				x.For())
			head = ""
		}
	}
	return w.Flush()
}

// validTags checks tags, and sorts them.
func validTags(option string, tags []string) ([]string, error) {
	out := slices.Clone(tags)
	for i, tag := range out {
		out[i] = strings.TrimSpace(tag)
		if out[i] == "" || strings.ContainsFunc(out[i], func(c rune) bool {
			return c <= ' ' || c == unicode.ReplacementChar
		}) {
			return nil, usage("--%s %q: write tags as in memory=64G,site=berlin", option, tag)
		}
		name, isSolver := strings.CutPrefix(out[i], "solver=")
		if isSolver && !slices.Contains(smt.Names(), name) {
			return nil, usage("--%s %s: there is no solver %q, only %s", option, out[i], name,
				strings.Join(smt.Names(), ", "))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// plain leaves of a name what a key of a bucket may have.
func plain(name string) string {
	out := []rune(name)
	for i, c := range out {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' ||
			c == '_') {
			out[i] = '_'
		}
	}
	return string(out)
}

// machineShare is what one of n jobs has of the machine's memory.
func machineShare(n int) int64 { return explicit.MachineMemory() * 3 / 4 / int64(n) }

// buildID names this build of the program. Findings travel only between equal builds: a build that
// is no release is named by the content of the program.
func buildID() (string, error) {
	version := Version()
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	return version + "-" + hex.EncodeToString(h.Sum(nil)[:6]), nil
}
