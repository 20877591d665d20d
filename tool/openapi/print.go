package openapi

// A configuration holds credentials, also where its types do not say so: in a
// URL or an argument. It prints as nothing but its kind.

const printed = "openapi configuration"

// String tells nothing of what is configured.
func (Config) String() string { return printed }

// GoString is String.
func (Config) GoString() string { return printed }

// MarshalText is String, for logs and JSON.
func (Config) MarshalText() ([]byte, error) { return []byte(printed), nil }

// String tells nothing of what is configured.
func (*Adapter) String() string { return "openapi adapter" }

// GoString is String.
func (*Adapter) GoString() string { return "openapi adapter" }
