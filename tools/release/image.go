package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// image is a container image as one file, an archive of an OCI layout, as podman, skopeo and docker
// load it. It has the program alone, which is static and has z3 inside, and an empty /tmp and
// /work.
func image(version, arch string, program []byte, at time.Time) ([]byte, error) {
	layer, err := tarball("", []file{{"usr/local/bin/erelong", 0o755, program},
		{"tmp/", fs.ModeSticky | 0o777, nil}, {"work/", 0o777, nil}}, at)
	if err != nil {
		return nil, err
	}
	plain, err := unpacked(layer)
	if err != nil {
		return nil, err
	}
	b := blobs{}
	config, err := b.json("application/vnd.oci.image.config.v1+json", map[string]any{
		"created": at.Format(time.RFC3339), "architecture": arch, "os": "linux",
		"config": map[string]any{"Entrypoint": []string{"/usr/local/bin/erelong"},
			"WorkingDir": "/work", "User": "65534:65534", "Env": []string{"HOME=/tmp"},
			"Labels": map[string]string{"org.opencontainers.image.version": version,
				"org.opencontainers.image.licenses": "Apache-2.0"}},
		"rootfs": map[string]any{"type": "layers",
			"diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(plain))}},
		"history": []any{map[string]any{"created": at.Format(time.RFC3339),
			"created_by": "erelong " + version}},
	})
	if err != nil {
		return nil, err
	}
	const manifestType = "application/vnd.oci.image.manifest.v1+json"
	manifest, err := b.json(manifestType, map[string]any{"schemaVersion": 2,
		"mediaType": manifestType, "config": config,
		"layers": []any{b.add("application/vnd.oci.image.layer.v1.tar+gzip", layer)}})
	if err != nil {
		return nil, err
	}
	manifest["annotations"] = map[string]string{
		"org.opencontainers.image.ref.name": "erelong:" + version}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2,
		"mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []any{manifest}})
	if err != nil {
		return nil, err
	}
	files := append(b.files, file{"index.json", 0o644, index},
		file{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)})
	packed, err := tarball("", files, at)
	if err != nil {
		return nil, err
	}
	return unpacked(packed) // the layer is compressed already
}

// blobs are the files of a layout that are named by their content.
type blobs struct{ files []file }

// add adds a blob, and gives its descriptor.
func (b *blobs) add(mediaType string, data []byte) map[string]any {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	b.files = append(b.files, file{"blobs/sha256/" + sum, 0o644, data})
	return map[string]any{"mediaType": mediaType, "digest": "sha256:" + sum, "size": len(data)}
}

func (b *blobs) json(mediaType string, v any) (map[string]any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return b.add(mediaType, data), nil
}

// unpacked is a text without gzip.
func unpacked(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
