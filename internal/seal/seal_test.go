package seal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func open(t *testing.T, path string) *Box {
	t.Helper()
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSealedValuesOpenAgainAfterReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "key")
	plain := []byte("hunter2\x00\xff")
	sealed, err := open(t, path).Seal(plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("hunter2")) {
		t.Fatal("the sealed value shows the plain one")
	}
	got, err := open(t, path).Open(sealed)
	if err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestSealTwiceDiffers(t *testing.T) {
	b, err := Ephemeral()
	if err != nil {
		t.Fatal(err)
	}
	one, _ := b.Seal([]byte("same"))
	two, _ := b.Seal([]byte("same"))
	if bytes.Equal(one, two) {
		t.Fatal("a nonce was used twice")
	}
}

func TestOpenRefusesWhatItDidNotSeal(t *testing.T) {
	b, _ := Ephemeral()
	other, _ := Ephemeral()
	sealed, _ := b.Seal([]byte("value"))
	for name, bad := range map[string][]byte{
		"empty":   nil,
		"short":   sealed[:3],
		"cut":     sealed[:len(sealed)-1],
		"version": append([]byte{9}, sealed[1:]...),
	} {
		if _, err := b.Open(bad); !errors.Is(err, ErrUnsealable) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for i := range sealed {
		bad := bytes.Clone(sealed)
		bad[i] ^= 1
		if _, err := b.Open(bad); !errors.Is(err, ErrUnsealable) {
			t.Fatalf("byte %d changed: got %v", i, err)
		}
	}
	if _, err := other.Open(sealed); !errors.Is(err, ErrUnsealable) {
		t.Errorf("other key: got %v", err)
	}
}

func TestKeyFileIsPrivateAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	open(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	if info.Size() != KeySize {
		t.Errorf("size %d", info.Size())
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

func TestBadKeyFilesAreRefusedAndKept(t *testing.T) {
	for name, tt := range map[string]struct {
		content string
		mode    os.FileMode
		want    string
	}{
		"empty":     {"", 0o600, "holds 0 bytes"},
		"partial":   {strings.Repeat("k", KeySize-1), 0o600, "holds 31 bytes"},
		"too long":  {strings.Repeat("k", KeySize+1), 0o600, "holds 33 bytes"},
		"by group":  {strings.Repeat("k", KeySize), 0o640, "chmod 600"},
		"by others": {strings.Repeat("k", KeySize), 0o604, "chmod 600"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.mode != 0o600 {
				t.Skip("Windows has no permission bits")
			}
			path := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v, want %q and the path", err, tt.want)
			}
			if b, _ := os.ReadFile(path); string(b) != tt.content {
				t.Fatal("the file was changed")
			}
		})
	}
	t.Run("directory", func(t *testing.T) {
		if _, err := Open(t.TempDir()); err == nil {
			t.Fatal("a directory was accepted")
		}
	})
}

// A crash between the temporary file and its name leaves the former: it is
// never taken for the key.
func TestPartialTemporaryIsIgnored(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".key-123"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Join(dir, "key"))
}

func TestConcurrentFirstOpensShareOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	boxes := make([]*Box, 16)
	var wg sync.WaitGroup
	for i := range boxes {
		wg.Go(func() { boxes[i], _ = Open(path) })
	}
	wg.Wait()
	sealed, err := boxes[0].Seal([]byte("shared"))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range boxes {
		if got, err := b.Open(sealed); err != nil || string(got) != "shared" {
			t.Fatalf("box %d: %q, %v", i, got, err)
		}
	}
}
