package cuzk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// DefaultParamsDir is where the network's own tools keep parameters.
const DefaultParamsDir = "/var/tmp/filecoin-proof-parameters"

// DefaultMaxInput is the largest accepted input in bytes, 1 GiB: some twenty
// times the commit-phase-1 output of a 64 GiB sector.
const DefaultMaxInput = 1 << 30

// DefaultMaxWaitingJobs is how many jobs may be under way at the same time.
const DefaultMaxWaitingJobs = 1 << 17

// Options configure an Engine. The zero value means the defaults; nothing is
// read from the environment.
type Options struct {
	// ParamsDir is the folder of .params and .vk files; "" is
	// DefaultParamsDir. It need not exist until parameters are needed.
	ParamsDir string

	// Backend is where proofs are computed.
	Backend Backend

	// Devices names the GPUs to use: by index ("0"), as CUDA numbers those that
	// CUDA_VISIBLE_DEVICES leaves, or by UUID ("GPU-…", a prefix that fits one is
	// enough). None: all that can be used. Whoever names a device must have it:
	// then Auto does not fall back to the CPU.
	Devices []string

	// DeviceLibrary is the path of libcuzk_cuda.so; "": in DeviceLibraryDir, or else
	// where the loader finds it. Whoever names it must have a device that it can
	// use: then Auto does not fall back to the CPU.
	DeviceLibrary string

	// DeviceLibraryDir is the folder in which libcuzk_cuda.so is looked for first; "":
	// that of the program.
	DeviceLibraryDir string

	// DeviceMemoryLimit bounds the bytes used on each device; 0: what is free
	// there when the engine opens.
	DeviceMemoryLimit int64

	// DeviceSlots is how many partitions a device takes up at once; 0: 3, one
	// that comes, one that is computed, one that goes.
	DeviceSlots int

	// MaxBatchSize and MaxBatchWait bound how many jobs of one circuit wait for
	// each other, and how long, when their parameters do not stay on a device and
	// all devices are busy; a PoSt never waits. 0: 4 jobs, 10 seconds. With size 1
	// nothing ever waits.
	MaxBatchSize int
	MaxBatchWait time.Duration

	// Threads bounds the CPU threads; 0: as many as the process may use.
	Threads int

	// CheckDigest verifies the published digest of every parameter file when it
	// is first used. Files with no published digest fail.
	CheckDigest bool

	// CheckSubgroup verifies that every point of the parameters lies in the
	// prime-order subgroup when they are first used. Slow.
	CheckSubgroup bool

	// MemoryBudget bounds the bytes that proving may hold at once, never more
	// than nine tenths of the machine or control group; 0: those. A job that can never fit fails at once.
	MemoryBudget int64

	// MaxInput is the largest accepted input in bytes; 0: DefaultMaxInput.
	MaxInput int64

	// MaxWaitingJobs bounds the jobs that are under way at the same time; 0:
	// DefaultMaxWaitingJobs. One more fails with code Busy, or waits if its
	// JobOptions say so.
	MaxWaitingJobs int

	// Log, if set, receives lines for people, from any goroutine; its handler must
	// not block. Without it nothing is logged, and nothing is ever printed.
	Log *slog.Logger
}

// logger returns Log as the engine takes it.
func (o Options) logger() func(engine.Level, string) {
	if o.Log == nil {
		return nil
	}
	levels := map[engine.Level]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	return func(level engine.Level, line string) { o.Log.Log(context.Background(), levels[level], line) }
}

// Backend is where proofs are computed.
type Backend string

// The backends. A caller who asks for CUDA never silently gets the CPU.
const (
	Auto Backend = ""     // all GPUs that can be used, or the CPU if there are none: Status says which and why
	CPU  Backend = "cpu"  //
	CUDA Backend = "cuda" // a GPU, or an error of code NoDevice
)

// Validate reports everything that is wrong with the options by themselves in one
// error of code Argument. It looks at no file; Open does.
func (o Options) Validate() error {
	return o.validate(false)
}

// Check is Validate, and looks whether ParamsDir is a folder, for a second at most.
// Open does the same.
func (o Options) Check() error {
	return o.validate(true)
}

// validate is Validate, and with files set also looks whether ParamsDir is a folder.
func (o Options) validate(files bool) error {
	var problems []error
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if strings.ContainsRune(o.ParamsDir, 0) {
		bad("ParamsDir %q: contains a NUL byte", o.ParamsDir)
	} else if files && o.ParamsDir != "" && notFolder(o.ParamsDir) {
		bad("ParamsDir %q: not a folder", o.ParamsDir)
	}
	switch o.Backend {
	case Auto, CPU, CUDA:
	default:
		bad("Backend %q: want %q (auto), %q or %q", string(o.Backend), string(Auto), string(CPU), string(CUDA))
	}
	if o.Threads < 0 || o.Threads > maxThreads {
		bad("Threads %d: want 0 to %d", o.Threads, maxThreads)
	}
	o.validateDevices(bad)
	if o.MemoryBudget != 0 && o.MemoryBudget < leastBudget {
		bad("MemoryBudget %d: no proof needs less than %d bytes", o.MemoryBudget, leastBudget)
	}
	if o.MaxInput < 0 {
		bad("MaxInput %d: negative", o.MaxInput)
	}
	if o.MaxWaitingJobs < 0 {
		bad("MaxWaitingJobs %d: negative", o.MaxWaitingJobs)
	}
	if len(problems) == 0 {
		return nil
	}
	return status.New(status.Argument, "options", "options: %w", errors.Join(problems...))
}

// validateDevices checks the options about devices and batches.
func (o *Options) validateDevices(bad func(format string, args ...any)) {
	if len(o.Devices) > 0 && o.Backend == CPU {
		bad("Devices %q: with Backend %q", o.Devices, string(CPU))
	}
	for _, name := range o.Devices {
		if name == "" || strings.ContainsAny(name, ",\x00") {
			bad("Devices %q: want indices or UUIDs", o.Devices)
			break
		}
	}
	if strings.ContainsRune(o.DeviceLibrary, 0) {
		bad("DeviceLibrary %q: contains a NUL byte", o.DeviceLibrary)
	}
	if o.DeviceMemoryLimit < 0 {
		bad("DeviceMemoryLimit %d: negative", o.DeviceMemoryLimit)
	}
	if o.DeviceSlots < 0 || o.DeviceSlots > maxSlots {
		bad("DeviceSlots %d: want 0 to %d", o.DeviceSlots, maxSlots)
	}
	if o.MaxBatchSize < 0 {
		bad("MaxBatchSize %d: negative", o.MaxBatchSize)
	}
	if o.MaxBatchWait < 0 {
		bad("MaxBatchWait %s: negative", o.MaxBatchWait)
	}
}

// leastBudget is below what the smallest proof needs, a WinningPoSt of 2 KiB.
const leastBudget = 1 << 20

// maxSlots is far above what any device gains by.
const maxSlots = 64

// maxThreads is far above any machine's need; it catches garbage.
const maxThreads = 1 << 16

// String returns a Go literal that gives these options again; fields at their
// default are left out.
func (o Options) String() string {
	var f []string
	add := func(set bool, format string, args ...any) {
		if set {
			f = append(f, fmt.Sprintf(format, args...))
		}
	}
	add(o.ParamsDir != "", "ParamsDir: %q", o.ParamsDir)
	add(o.Backend != "", "Backend: %q", string(o.Backend))
	add(len(o.Devices) > 0, "Devices: %#v", o.Devices)
	add(o.DeviceLibrary != "", "DeviceLibrary: %q", o.DeviceLibrary)
	add(o.DeviceLibraryDir != "", "DeviceLibraryDir: %q", o.DeviceLibraryDir)
	add(o.DeviceMemoryLimit != 0, "DeviceMemoryLimit: %d", o.DeviceMemoryLimit)
	add(o.DeviceSlots != 0, "DeviceSlots: %d", o.DeviceSlots)
	add(o.MaxBatchSize != 0, "MaxBatchSize: %d", o.MaxBatchSize)
	add(o.MaxBatchWait != 0, "MaxBatchWait: %d", o.MaxBatchWait)
	add(o.Threads != 0, "Threads: %d", o.Threads)
	add(o.CheckDigest, "CheckDigest: true")
	add(o.CheckSubgroup, "CheckSubgroup: true")
	add(o.MemoryBudget != 0, "MemoryBudget: %d", o.MemoryBudget)
	add(o.MaxInput != 0, "MaxInput: %d", o.MaxInput)
	add(o.MaxWaitingJobs != 0, "MaxWaitingJobs: %d", o.MaxWaitingJobs)
	add(o.Log != nil, "Log: slog.Default()")
	return "cuzk.Options{" + strings.Join(f, ", ") + "}"
}

// deviceLibrary is the file in DeviceLibraryDir if there is one, else the name
// that the loader looks for.
func (o Options) deviceLibrary() string {
	const name = "libcuzk_cuda.so"
	dir := o.DeviceLibraryDir
	if dir == "" {
		program, err := os.Executable()
		if err != nil {
			return name
		}
		dir = filepath.Dir(program)
	}
	if path := filepath.Join(dir, name); exists(path) {
		return path
	}
	return name
}

func exists(path string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	_, err := files.Stat(ctx, path)
	return err == nil
}

// answerTime is how long a file system may take to answer while an engine is opened.
const answerTime = 10 * time.Second

// notFolder reports whether a path that exists is no folder.
func notFolder(path string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	return errors.Is(files.CheckFolder(ctx, path), syscall.ENOTDIR)
}

// resolved fills in the defaults.
func (o Options) resolved() Options {
	if o.ParamsDir == "" {
		o.ParamsDir = DefaultParamsDir
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.MaxInput == 0 {
		o.MaxInput = DefaultMaxInput
	}
	if o.MaxWaitingJobs == 0 {
		o.MaxWaitingJobs = DefaultMaxWaitingJobs
	}
	if o.DeviceLibrary == "" {
		o.DeviceLibrary = o.deviceLibrary()
	}
	if o.MaxBatchSize == 0 {
		o.MaxBatchSize = 4
	}
	if o.MaxBatchWait == 0 {
		o.MaxBatchWait = 10 * time.Second
	}
	return o
}
