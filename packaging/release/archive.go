package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archive writes the archive of a platform and returns its path.
func (r release) archive(ctx context.Context, p platform) (string, error) {
	program, err := r.build(ctx, p)
	if err != nil {
		return "", err
	}
	entries, err := r.content(p)
	if err != nil {
		return "", err
	}
	name, extension, pack := "reeve", ".tar.gz", tarball
	if p.os == "windows" {
		name, extension, pack = "reeve.exe", ".zip", zipped
	}
	entries = append(entries, entry{name, 0o755, program})
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	folder := "reeve-" + r.version + "-" + strings.ReplaceAll(p.String(), "/", "-")
	packed, err := pack(folder, entries)
	if err != nil {
		return "", fmt.Errorf("pack: %w", err)
	}
	path := filepath.Join(r.out, folder+extension)
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		return "", fmt.Errorf("write the archive: %w", err)
	}
	return path, nil
}

// epoch is the date of every file: those of the build would differ each time.
// Zip files cannot have an earlier one.
func epoch() time.Time { return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) }

func tarball(folder string, entries []entry) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: folder + "/" + e.name, Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: epoch(), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func zipped(folder string, entries []entry) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: folder + "/" + e.name, Method: zip.Deflate, Modified: epoch()}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sums writes SHA256SUMS of archives beside them, as sha256sum does.
func (r release) sums(archives []string) error {
	var text strings.Builder
	for _, path := range archives {
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("sum: %w", err)
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), filepath.Base(path))
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(text.String()), 0o644)
}
