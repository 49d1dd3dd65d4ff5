package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/compose-spec/compose-go/v2/types"
)

// image is what a container begins with: files by their places in it, and its first words.
type image struct {
	files map[string]string
	entry []string
}

// pods runs the services of a compose file as processes with roots of their own, in a network that
// nothing else is in. Volumes outlive containers, and names of services are names of hosts. What a
// Dockerfile RUNs, and its USER, is left out.
type pods struct {
	project *types.Project
	nats    string // the server of the image nats:2
	folder  string
	mu      sync.Mutex
	running map[string]*exec.Cmd
	halted  map[string]bool // services that are not restarted
}

// apart makes the process ready to have pods, in its new namespaces: 127.0.0.1 works, and what it
// mounts is nobody else's.
func apart() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts: %w", err)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		rest  [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request))); failed != 0 {
		return fmt.Errorf("loopback: %w", failed)
	}
	return nil
}

// up starts the services, the ones that others depend on first.
func (p *pods) up() error {
	return p.project.ForEachService(nil, func(name string, s *types.ServiceConfig) error {
		if err := p.start(name); err != nil {
			return fmt.Errorf("service %s: %w", name, err)
		}
		return p.publish(s)
	})
}

// image is the image of a service: of a server of NATS, or of a Dockerfile.
func (p *pods) image(s types.ServiceConfig) (image, error) {
	if s.Build == nil {
		if s.Image != "nats:2" {
			return image{}, fmt.Errorf("no image %q", s.Image)
		}
		return image{map[string]string{"/nats-server": p.nats}, []string{"/nats-server"}}, nil
	}
	text, err := os.ReadFile(filepath.Join(s.Build.Context, s.Build.Dockerfile))
	if err != nil {
		return image{}, err
	}
	out := image{files: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "COPY":
			words := strings.Fields(rest)
			if len(words) != 2 {
				return out, fmt.Errorf("COPY %s", rest)
			}
			out.files[words[1]] = filepath.Join(s.Build.Context, words[0])
		case "ENTRYPOINT":
			if err := json.Unmarshal([]byte(rest), &out.entry); err != nil {
				return out, fmt.Errorf("ENTRYPOINT %s: %w", rest, err)
			}
		case "", "#", "FROM", "RUN", "USER":
		default:
			return out, fmt.Errorf("unknown instruction %s", instruction)
		}
	}
	return out, nil
}

// root makes the root of a new container.
func (p *pods) root(s types.ServiceConfig, from image) (string, error) {
	root, err := os.MkdirTemp(p.folder, "root-")
	if err != nil {
		return "", err
	}
	hosts := "127.0.0.1 localhost"
	for name := range p.project.Services {
		hosts += " " + name
	}
	for _, dir := range []string{"etc", "proc", "root", "tmp"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			return "", err
		}
	}
	err = os.WriteFile(filepath.Join(root, "etc/hosts"), []byte(hosts+"\n"), 0o600)
	err = errors.Join(err, syscall.Mount("proc", filepath.Join(root, "proc"), "proc", 0, ""))
	for to, file := range from.files {
		err = errors.Join(err, copyFile(file, filepath.Join(root, to)))
	}
	for _, v := range s.Volumes {
		if v.Type != types.VolumeTypeVolume {
			return "", fmt.Errorf("a volume of type %s", v.Type)
		}
		volume, target := filepath.Join(p.folder, "volume-"+v.Source), filepath.Join(root, v.Target)
		err = errors.Join(err, os.MkdirAll(volume, 0o700), os.MkdirAll(target, 0o700))
		err = errors.Join(err, syscall.Mount(volume, target, "", syscall.MS_BIND, ""))
	}
	return root, err
}

func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if os.Link(from, to) == nil { // of one file system
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// start starts a new container of a service.
func (p *pods) start(name string) error {
	s := p.project.Services[name]
	from, err := p.image(s)
	if err != nil {
		return err
	}
	root, err := p.root(s, from)
	if err != nil {
		return err
	}
	words := append(slices.Clone(from.entry), s.Command...)
	program := ""
	for _, dir := range []string{"", "/usr/local/bin", "/usr/bin", "/bin"} {
		at := filepath.Join(dir, words[0])
		if filepath.IsAbs(at) && program == "" {
			if _, err := os.Stat(filepath.Join(root, at)); err == nil {
				program = at
			}
		}
	}
	if program == "" {
		return fmt.Errorf("the image has no %s", words[0])
	}
	env := []string{"HOME=/root"}
	for variable, value := range s.Environment {
		if value != nil {
			env = append(env, variable+"="+*value)
		}
	}
	return p.run(name, s.Restart, func() *exec.Cmd {
		return &exec.Cmd{Path: program, Args: words, Env: env, Dir: "/",
			Stdout: os.Stdout, Stderr: os.Stdout,
			SysProcAttr: &syscall.SysProcAttr{Chroot: root, Pdeathsig: syscall.SIGKILL}}
	})
}

// run runs a command, again and again where the service is to be restarted.
func (p *pods) run(name, restart string, command func() *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := command()
	if err := cmd.Start(); err != nil {
		return err
	}
	p.running[name] = cmd
	go func() {
		_ = cmd.Wait()
		p.mu.Lock()
		again := p.running[name] == cmd && !p.halted[name] &&
			(restart == types.RestartPolicyAlways || restart == types.RestartPolicyUnlessStopped)
		p.mu.Unlock()
		if again {
			time.Sleep(100 * time.Millisecond)
			_ = p.run(name, restart, command)
		}
	}()
	return nil
}

// kill kills the process of a service; without halt it is restarted, if the file says so.
func (p *pods) kill(name string, halt bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.halted[name] = halt
	return p.running[name].Process.Kill()
}

// publish lets the ports of a service be reached where the file says.
func (p *pods) publish(s *types.ServiceConfig) error {
	for _, port := range s.Ports {
		if fmt.Sprint(port.Target) == port.Published {
			continue // the network of the services is the one of the host
		}
		at, err := net.Listen("tcp", net.JoinHostPort(port.HostIP, port.Published))
		if err != nil {
			return err
		}
		go func() {
			for {
				outer, err := at.Accept()
				if err != nil {
					return
				}
				go relay(outer, net.JoinHostPort("127.0.0.1", fmt.Sprint(port.Target)))
			}
		}()
	}
	return nil
}

func relay(outer net.Conn, to string) {
	defer outer.Close()
	inner, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", to)
	if err != nil {
		return
	}
	defer inner.Close()
	go func() { _, _ = io.Copy(inner, outer) }()
	_, _ = io.Copy(outer, inner)
}
