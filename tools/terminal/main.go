// Command terminal draws what a terminal shows, as SVG.
//
// In: the frames of a screen, each the output of a program with ANSI codes (SGR), in files; or a
// script, whose commands it runs. Out: a picture. With several frames it is an animation by CSS, so
// it moves where a page shows it as a picture, and needs no player.
//
//	terminal -o PICTURE.svg FRAME...       # one or more screens
//	terminal -o PICTURE.svg -script FILE   # each line is a command; # begins a comment
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	out := flag.String("o", "", "the picture")
	script := flag.String("script", "", "a file with commands")
	title := flag.String("title", "a terminal", "what the picture shows, for who cannot see it")
	flag.Parse()
	if err := draw(*out, *script, *title, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		os.Exit(1)
	}
}

func draw(out, script, title string, files []string) error {
	var frames []frame
	switch {
	case out == "" || script == "" && len(files) == 0 || script != "" && len(files) > 0:
		return errors.New("it takes -o PICTURE and files with frames, or -script FILE")
	case script != "":
		text, err := os.ReadFile(script)
		if err != nil {
			return fmt.Errorf("reading the script: %w", err)
		}
		if frames, err = play(string(text), run); err != nil {
			return err
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading a frame: %w", err)
		}
		frames = append(frames, frame{text: string(text), seconds: 3})
	}
	if err := os.WriteFile(out, []byte(picture(frames, title)), 0o644); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

// run gives what a command prints. A command may fail, as one does that finds a violation.
func run(command string) (string, error) {
	text, err := exec.Command("sh", "-c", command).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return "", fmt.Errorf("running %s: %w", command, err)
	}
	return string(text), nil
}

// frame is a screen that is shown for some time.
type frame struct {
	text    string
	seconds float64
}

// Times of an animation, in seconds.
const (
	typing  = 0.06 // for each group of letters
	group   = 3    // letters
	reading = 0.35 // for each line of an output
	pause   = 1.0
)

// play types each command of a script, and shows its output below it. A screen begins with each
// command that has no room below the one before.
func play(script string, run func(string) (string, error)) (frames []frame, err error) {
	shown := ""
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		output, err := run(line)
		if err != nil {
			return nil, err
		}
		if strings.Count(shown, "\n")+strings.Count(output, "\n")+2 > mostLines {
			shown = ""
		}
		prompt := shown + "\x1b[32m$\x1b[0m "
		for i := 0; i <= len(line); i += group {
			frames = append(frames, frame{prompt + line[:i] + "█", typing})
		}
		shown = prompt + line + "\n" + output
		frames = append(frames, frame{shown, pause + reading*float64(strings.Count(output, "\n"))})
		shown += "\n"
	}
	return frames, nil
}
