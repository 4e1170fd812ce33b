package status

// Groups of ten: -10s argument and handle, -20s state, -30s memory, -40s device,
// -50s SRS and files, -60s input, -70s proof, -90s internal.
const (
	OK Code = 0

	Argument    Code = -10 // an argument is NULL, out of range or contradicts another
	Handle      Code = -11 // not a live handle of this library
	StructSize  Code = -12 // options struct of unknown size or with unknown non-zero bytes
	BufferShort Code = -13 // output buffer too short; the needed size was returned

	Closed    Code = -20 // the engine is closed or closing
	Cancelled Code = -21
	Deadline  Code = -22
	Conflict  Code = -23 // same idempotency key, other input
	Busy      Code = -24 // resource in use

	Memory Code = -30 // allocation failed
	Budget Code = -31 // can never fit the memory budget

	Device      Code = -40 // a device call failed
	NoDevice    Code = -41 // no usable device of the requested kind
	DeviceWrong Code = -42 // a device returned a wrong result

	SRSMissing  Code = -50 // parameter file not found
	SRSLayout   Code = -51 // parameter file of wrong length or structure
	SRSPoint    Code = -52 // point not on curve, not in subgroup or not canonical
	SRSMismatch Code = -53 // parameters belong to another circuit
	SRSDigest   Code = -54 // digest differs from the published one
	FileIO      Code = -55 // a file operation failed

	InputSyntax   Code = -60 // malformed JSON or bincode
	InputValue    Code = -61 // well-formed but out of range (field element, count, length)
	InputMismatch Code = -62 // vanilla proof does not fit the public inputs
	Unsupported   Code = -63 // known but not offered

	ProofInvalid   Code = -70 // a produced proof failed verification
	ProofMalformed Code = -71 // proof bytes are not proofs
	Unsatisfied    Code = -72 // the witness does not satisfy the circuit

	Internal Code = -90
	Panic    Code = -91
	Forked   Code = -92 // called in a forked child
)

var names = map[Code]string{
	OK: "ok", Argument: "argument", Handle: "handle", StructSize: "struct_size", BufferShort: "buffer_short",
	Closed: "closed", Cancelled: "cancelled", Deadline: "deadline", Conflict: "conflict", Busy: "busy",
	Memory: "memory", Budget: "budget", Device: "device", NoDevice: "no_device", DeviceWrong: "device_wrong",
	SRSMissing: "srs_missing", SRSLayout: "srs_layout", SRSPoint: "srs_point", SRSMismatch: "srs_mismatch",
	SRSDigest: "srs_digest", FileIO: "file_io",
	InputSyntax: "input_syntax", InputValue: "input_value", InputMismatch: "input_mismatch", Unsupported: "unsupported",
	ProofInvalid: "proof_invalid", ProofMalformed: "proof_malformed", Unsatisfied: "unsatisfied",
	Internal: "internal", Panic: "panic", Forked: "forked",
}

// String returns the lower-case name of the code.
func (c Code) String() string {
	if s, ok := names[c]; ok {
		return s
	}
	return "unknown"
}
