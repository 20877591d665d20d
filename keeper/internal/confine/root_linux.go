package confine

import (
	"strconv"
	"syscall"
)

// systemFolders are shown in a sandbox, read-only, where they exist.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// systemEtc is what programs need of /etc. The rest is configuration of other
// programs, which may hold secrets.
var systemEtc = []string{
	"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/protocols", "/etc/services",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/crypto-policies",
	"/etc/localtime", "/etc/timezone", "/etc/locale.conf", "/etc/default/locale", "/etc/os-release", "/etc/debian_version",
	"/etc/profile", "/etc/bash.bashrc", "/etc/inputrc", "/etc/shells", "/etc/login.defs", "/etc/mime.types", "/etc/magic",
	"/etc/terminfo", "/etc/fonts", "/etc/python3", "/etc/perl",
}

// systemDevices; /dev/tty is whatever terminal a process has, its own or none.
var systemDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

var systemLinks = [][2]string{
	{"/proc/self/fd", "./dev/fd"}, {"fd/0", "./dev/stdin"}, {"fd/1", "./dev/stdout"}, {"fd/2", "./dev/stderr"},
	{"../tmp", "./dev/shm"}, {"../tmp", "./var/tmp"}, {"/run", "./var/run"},
}

const hosts = "127.0.0.1 localhost\n::1 localhost\n"

// rootError says which step of making a root was refused.
type rootError struct {
	step string
	err  error
}

func (e *rootError) Error() string { return e.step + ": " + e.err.Error() }

// changeRoot gives this process, which has a mount namespace of its own, a
// root that shows the system's folders and the work folder and nothing else.
// If it fails, the root is what it was.
func changeRoot(p *Plan, r *Report) error {
	// What happens here shall not show outside.
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return &rootError{"make mounts private", err}
	}
	// Copies are taken first: the new root covers a folder of the old.
	grafts, err := cutAll(p)
	defer func() {
		for i := range grafts {
			grafts[i].close()
		}
	}()
	if err != nil {
		return err
	}
	base := "/tmp"
	if syscall.Mount("reeve", base, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755,size=1m") != nil {
		base = "/usr"
		if err := syscall.Mount("reeve", base, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755,size=1m"); err != nil {
			return &rootError{"mount a new root", err}
		}
	}
	if err = build(base, p, grafts, r); err != nil {
		_ = syscall.Chdir("/")
		_ = syscall.Unmount(base, syscall.MNT_DETACH)
		return err
	}
	return nil
}

// cutAll copies what the new root shows. The work folder comes last, so that
// it may lie in another one.
func cutAll(p *Plan) (all []graft, err error) {
	take := func(path string, set uint64) error {
		g, ok, err := cut(path, set)
		if err != nil {
			return &rootError{"copy " + path, err}
		}
		if ok {
			all = append(all, g)
		}
		return nil
	}
	for _, path := range append(append([]string{}, systemFolders...), systemEtc...) {
		if err := take(path, attrReadOnly|attrNoSuid|attrNoDev); err != nil {
			return all, err
		}
	}
	for _, path := range systemDevices {
		if err := take(path, attrNoSuid|attrNoExec); err != nil {
			return all, err
		}
	}
	if p.Work == "" {
		return all, nil
	}
	if err := take(p.Work, attrNoSuid|attrNoDev); err != nil {
		return all, err
	}
	if p.IDMap != 0 {
		work := &all[len(all)-1]
		if err := setAttr(work.fd, mountAttr{set: attrIDMap, userns: uint64(p.IDMap)}, false); err != nil {
			return all, &rootError{"map the owner of " + p.Work, err}
		}
	}
	return all, nil
}

// build fills the new root and moves into it.
func build(base string, p *Plan, grafts []graft, r *Report) error {
	if err := syscall.Chdir(base); err != nil {
		return &rootError{"enter the new root", err}
	}
	for _, dir := range []string{"./dev", "./etc", "./proc", "./run", "./tmp", "./var", "./home", "./root"} {
		if err := syscall.Mkdir(dir, 0o755); err != nil {
			return &rootError{"make " + dir[1:], err}
		}
	}
	for _, l := range systemLinks {
		if err := syscall.Symlink(l[0], l[1]); err != nil {
			return &rootError{"link " + l[1][1:], err}
		}
	}
	if err := writeFile("./etc/hosts", hosts); err != nil {
		return &rootError{"write /etc/hosts", err}
	}
	options := "mode=1777,size=" + strconv.FormatInt(p.TmpSize, 10)
	if err := syscall.Mount("reeve", "./tmp", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		return &rootError{"mount /tmp", err}
	}
	for i := range grafts {
		if err := grafts[i].graft(); err != nil {
			return &rootError{"attach " + grafts[i].path, err}
		}
	}
	mountProc(p, r)
	if err := syscall.PivotRoot(".", "."); err != nil {
		return &rootError{"change the root", err}
	}
	// The old root now lies upon the new one.
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return &rootError{"leave the old root", err}
	}
	if err := syscall.Chdir("/"); err != nil {
		return &rootError{"enter the new root", err}
	}
	fd, err := openPath("/", 0)
	if err == nil {
		err = setAttr(fd, mountAttr{set: attrReadOnly}, false)
		syscall.Close(fd)
	}
	if err != nil {
		return &rootError{"make the root read-only", err}
	}
	return nil
}

// mountProc shows the processes of the sandbox. Those of the machine would
// show without a namespace for them, so there is none then.
func mountProc(p *Plan, r *Report) {
	if !p.born(PidNamespace) || p.off(OwnProc) {
		r.lacks(OwnProc, "there is no pid namespace to show")
		return
	}
	flags := uintptr(syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC | syscall.MS_RDONLY)
	if err := syscall.Mount("proc", "./proc", "proc", flags, ""); err != nil {
		r.lacks(OwnProc, "mount /proc: "+err.Error())
		return
	}
	r.held(OwnProc)
}
