// Upload of a compiled circuit (core/internal/r1cs.Flat): templates, calls and coefficients to device memory, and for
// each section of the parameters the bitmap of its bit variables and the source of its other scalars.
#include "circuit.hpp"

namespace cuzk::prove {

namespace {

// Copies n host objects of the C surface into a buffer of the same layout.
template <class T, class From>
Buffer<T> upload(const From* from, size_t n, cudaStream_t s) {
    static_assert(sizeof(T) % sizeof(From) == 0, "layouts agree");
    if (n > 0 && from == nullptr) throw ArgumentError("an array of the circuit is NULL");
    Buffer<T> b(n);
    if (n > 0) b.upload(reinterpret_cast<const T*>(from), n, s);
    return b;
}

// A host bitmap of 64-bit words as 32-bit ones.
std::vector<uint32_t> halves(const uint64_t* words, size_t n) {
    std::vector<uint32_t> v(2 * n);
    for (size_t i = 0; i < n; i++) v[2 * i] = (uint32_t)words[i], v[2 * i + 1] = (uint32_t)(words[i] >> 32);
    return v;
}

} // namespace

Circuit::Circuit(const cuzk_cuda_circuit_info& info, cudaStream_t s)
    : rows_(info.rows), inputs_(info.inputs), aux_(info.aux), scalars_(info.scalars) {
    check(info);
    while ((size_t(1) << log_domain_) < rows_ + inputs_) log_domain_++;
    matrices(info, s);
    query(l_, info.l, info, s);
    query(a_, info.a, info, s);
    query(b_, info.b, info, s);
    if (info.program.num_rules > 0) program_ = Program(info.program, info.num_templates, calls_, scalars_, s);
    CUZK_CHECK(cudaStreamSynchronize(s));
}

void Circuit::check(const cuzk_cuda_circuit_info& info) const {
    if (inputs_ == 0 || rows_ == 0 || info.num_instances == 0)
        throw ArgumentError("a circuit has rows, calls and the input ONE");
    if (rows_ + inputs_ > (size_t(1) << 28)) throw ArgumentError("the circuit needs a domain above 2^28");
    if (aux_ >= (size_t(1) << 29) || scalars_ > aux_) throw ArgumentError("the circuit has too many variables");
    if (aux_ > 0 && info.bits == nullptr) throw ArgumentError("the bitmap of bit variables is NULL");
}

void Circuit::matrices(const cuzk_cuda_circuit_info& info, cudaStream_t s) {
    static_assert(sizeof(r1cs::Template) == sizeof(cuzk_cuda_template), "layouts agree");
    static_assert(sizeof(r1cs::Instance) == sizeof(cuzk_cuda_instance), "layouts agree");
    static_assert(sizeof(r1cs::Term) == sizeof(cuzk_cuda_term), "layouts agree");
    coefs_ = Buffer<Fr>(info.num_coefs);
    if (info.num_coefs < 2 || info.coefs == nullptr) throw ArgumentError("coefficients 0 and 1 are one and minus one");
    CUZK_CHECK(cudaMemcpyAsync(coefs_.get(), info.coefs, coefs_.bytes(), cudaMemcpyHostToDevice, s));
    templates_ = upload<r1cs::Template>(info.templates, info.num_templates, s);
    instances_ = upload<r1cs::Instance>(info.instances, info.num_instances, s);
    wires_ = upload<uint32_t>(info.wires, info.num_wires, s);
    starts_ = upload<uint32_t>(info.starts, info.num_starts, s);
    terms_ = upload<r1cs::Term>(info.terms, info.num_terms, s);
    calls_ = info.num_instances;

    const r1cs::Source source{rows_,
                              inputs_,
                              reinterpret_cast<const r1cs::Template*>(info.templates),
                              info.num_templates,
                              reinterpret_cast<const r1cs::Instance*>(info.instances),
                              info.num_instances,
                              info.starts,
                              info.num_starts,
                              reinterpret_cast<const r1cs::Term*>(info.terms),
                              info.num_terms};
    spread_ = r1cs::Rows(source, size_t(1) << log_domain_, s);
}

void Circuit::query(Query& q, const cuzk_cuda_query& from, const cuzk_cuda_circuit_info& info, cudaStream_t s) const {
    std::vector<uint32_t> bits = halves(info.bits, bit_words()), dense(bits.size(), ~0u);
    if (from.dense != nullptr)
        dense = halves(from.dense, bit_words());
    else if (aux_ % 64 != 0)
        for (size_t i = aux_; i < 64 * bit_words(); i++) dense[i / 32] &= ~(1u << i % 32);

    std::vector<uint32_t> before = ranks(dense);
    q.length = from.num_inputs + before.back();
    q.bit_positions.assign((q.length + 31) / 32, 0);
    std::vector<uint32_t> selected(bits.size());
    for (size_t i = 0; i < bits.size(); i++) {
        selected[i] = bits[i] & dense[i];
        compact_word(bits[i], dense[i], from.num_inputs + before[i], q.bit_positions.data());
    }
    q.bits = Selection(selected, s);
    q.scalars = q.length - q.bits.count();
    if (q.scalars != from.num_inputs + from.num_which)
        throw ArgumentError("a section's scalar variables do not match its bitmap");

    std::vector<uint32_t> source(q.scalars);
    for (size_t i = 0; i < q.scalars; i++) {
        bool input = i < from.num_inputs;
        uint32_t k = input ? from.inputs[i] : from.which[i - from.num_inputs];
        if (k >= (input ? inputs_ : scalars_)) throw ArgumentError("a section names a variable that does not exist");
        source[i] = input ? k : (uint32_t)inputs_ + k;
    }
    q.source = Buffer<uint32_t>(q.scalars);
    if (q.scalars > 0) q.source.upload(source.data(), q.scalars, s);
    CUZK_CHECK(cudaStreamSynchronize(s)); // source is on this stack
}

void Circuit::complete(uint8_t* witness, const Fr* given, cudaStream_t s) const {
    Fr* scalars = reinterpret_cast<Fr*>(witness) + inputs_;
    program_.complete(given, reinterpret_cast<const uint32_t*>(scalars + scalars_), scalars, instances_, wires_, s);
}

void Circuit::rows(const uint8_t* witness, Fr* a, Fr* b, cudaStream_t s) const {
    const r1cs::Circuit c{rows_, inputs_, calls_, coefs_, templates_, instances_, wires_, starts_, terms_};
    const Fr* fields = reinterpret_cast<const Fr*>(witness);
    const r1cs::Witness w{fields, reinterpret_cast<const uint32_t*>(fields + inputs_ + scalars_), fields + inputs_};
    spread_.evaluate(c, w, a, b, s);
}

} // namespace cuzk::prove
