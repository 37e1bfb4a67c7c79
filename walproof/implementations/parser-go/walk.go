package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/kaitai-io/kaitai_struct_go_runtime/kaitai"
)

// Model is the description of a grammar in models.json: the fields of each type.
type Model struct {
	Top   string             `json:"top"`
	Types map[string][]Field `json:"types"`
}

// Field is one field of a type.
type Field struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Width    *int64 `json:"width"`
	ByLength bool   `json:"by_length"`
	Array    bool   `json:"array"`
	Optional bool   `json:"optional"`
	Instance bool   `json:"instance"`
}

// scalar reports whether an absent field holds a zero that looks like a value, so that the size of
// the field in the file is unknown.
func (f Field) scalar() bool {
	return f.Kind == "int" || f.Kind == "enum" || f.Kind == "float" || f.Kind == "ints"
}

type stream interface{ IO_() *kaitai.Stream }

type walk struct {
	types map[string][]Field
	lines []string
}

// unknown is an offset that cannot be determined.
const unknown = int64(-1)

func listing(model Model, grammar string, data []byte) []string {
	w := walk{types: map[string][]Field{}}
	for name, fields := range model.Types {
		w.types[strings.ReplaceAll(name, ".", "_")] = fields
	}
	log, err := read(grammar, data)
	if err != nil {
		return []string{"!"}
	}
	w.object(reflect.ValueOf(log), "", 0)
	return w.lines
}

func read(grammar string, data []byte) (log any, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("%v", thrown)
		}
	}()
	return parse[grammar](kaitai.NewStream(bytes.NewReader(data)))
}

func (w *walk) say(name string, at int64, said string) {
	shown := "-"
	if at != unknown {
		shown = fmt.Sprint(at)
	}
	w.lines = append(w.lines, name+" "+shown+" "+said)
}

func plus(at, size int64) int64 {
	if at == unknown {
		return unknown
	}
	return at + size
}

func (w *walk) object(object reflect.Value, name string, at int64) int64 {
	for _, field := range w.types[object.Elem().Type().Name()] {
		inner := field.ID
		if name != "" {
			inner = name + "." + field.ID
		}
		if !field.Instance {
			at = w.many(object, object.Elem().FieldByName(camel(field.ID)), field, inner, at)
		} else if field.Kind == "value" && field.Optional {
			w.say(inner, unknown, "?") // absent and zero cannot be distinguished
		} else if value, err := call(object, camel(field.ID)); err != nil {
			w.say(inner, unknown, "!")
		} else {
			w.many(object, value, field, inner, unknown)
		}
	}
	return at
}

func call(object reflect.Value, method string) (value reflect.Value, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("%v", thrown)
		}
	}()
	results := object.MethodByName(method).Call(nil)
	if !results[1].IsNil() {
		return results[0], results[1].Interface().(error)
	}
	return results[0], nil
}

func (w *walk) many(parent, value reflect.Value, field Field, name string, at int64) int64 {
	if !field.Array {
		return w.one(parent, value, field, name, at)
	}
	w.say(name, at, fmt.Sprintf("[ %d", value.Len()))
	for i := range value.Len() {
		at = w.one(parent, value.Index(i), field, fmt.Sprintf("%s[%d]", name, i), at)
	}
	return at
}

func (w *walk) one(parent, value reflect.Value, field Field, name string, at int64) int64 {
	if value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if !value.IsValid() && !field.Array && !field.Instance {
		// No case of the switch matches: the parser stores the bytes in a field that only
		// reflection can read.
		if raw := parent.Elem().FieldByName("_raw_" + camel(field.ID)); raw.IsValid() && !raw.IsNil() {
			value = raw
		}
	}
	if !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil() {
		w.say(name, at, "-")
		return at
	}
	if value.Kind() == reflect.Pointer {
		own := value.Interface().(stream).IO_()
		size, err := own.Size()
		check(err)
		w.say(name, at, fmt.Sprintf("{ %d", size))
		after := w.object(value, name, at)
		if own == parent.Interface().(stream).IO_() {
			return after
		}
		return plus(at, size)
	}
	w.say(name, at, said(value))
	if field.Optional && !field.Array && field.scalar() {
		return unknown
	}
	if field.Width != nil {
		return plus(at, *field.Width)
	}
	if field.ByLength || field.Kind == "switch" && value.Kind() == reflect.Slice {
		return plus(at, int64(value.Len()))
	}
	return unknown
}

func said(value reflect.Value) string {
	switch {
	case value.CanInt():
		return fmt.Sprint("i ", value.Int())
	case value.CanUint():
		return fmt.Sprint("i ", int64(value.Uint()))
	case value.CanFloat():
		return fmt.Sprintf("f %016x", math.Float64bits(value.Float()))
	case value.Kind() == reflect.Bool && value.Bool():
		return "i 1"
	case value.Kind() == reflect.Bool:
		return "i 0"
	case value.Kind() == reflect.String:
		return ofBytes([]byte(value.String()))
	}
	return ofBytes(value.Bytes())
}

func ofBytes(data []byte) string {
	if len(data) <= 32 {
		return fmt.Sprintf("b %d %x", len(data), data)
	}
	digest := sha256.Sum256(data)
	return fmt.Sprintf("b %d sha256:%s", len(data), hex.EncodeToString(digest[:8]))
}

func camel(id string) string {
	var name strings.Builder
	for _, part := range strings.Split(id, "_") {
		if part != "" {
			name.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return name.String()
}
