//go:build amd64 && linux && cgo && !purego

// The emulator of AVX-512 instructions: decoding after Intel's Software Developer's
// Manual, volume 2, sections 2.3 (VEX) and 2.7 (EVEX). It knows the instructions that
// package field's generator emits and hands everything else to the handler before it.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

typedef unsigned __int128 u128;
typedef struct {
    uint64_t w[8];
} zmm;

// The registers of a thread. A function of package field runs on one thread from its
// first instruction to its last.
static __thread __attribute__((tls_model("initial-exec"))) zmm z[32];
static __thread __attribute__((tls_model("initial-exec"))) uint64_t k[8];

static struct sigaction before;

// What an instruction says: prefix fields, operands, and where the next one starts.
typedef struct {
    int map, pp, wide, length, broadcast, zeroing, mask; // length: 0, 1, 2 for 128, 256, 512 bits
    int reg, second, rm, memory;                         // registers, or memory at address
    uint8_t opcode, imm;
    uint8_t *address, *next;
} instruction;

static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

// operands decodes the ModRM byte and what follows. scale multiplies 8-bit displacements.
static void operands(instruction *in, uint8_t *at, greg_t *g, int r, int x, int b, int highReg, int highRm, int scale,
                     int imm)
{
    uint8_t modrm = *at++;
    int mod = modrm >> 6, rm = modrm & 7, relative = 0;
    in->reg = (modrm >> 3 & 7) | r << 3 | highReg << 4;
    in->memory = mod != 3;
    in->rm = rm | b << 3 | highRm << 4;
    if (in->memory) {
        uint64_t address = 0;
        if (rm == 4) {
            uint8_t sib = *at++;
            int index = (sib >> 3 & 7) | x << 3, base = (sib & 7) | b << 3;
            if (index != 4)
                address += (uint64_t)g[order[index]] << (sib >> 6);
            if ((sib & 7) == 5 && mod == 0) {
                int32_t d;
                memcpy(&d, at, 4);
                at += 4;
                address += d;
            } else {
                address += g[order[base]];
            }
        } else if (rm == 5 && mod == 0) {
            relative = 1;
            int32_t d;
            memcpy(&d, at, 4);
            at += 4;
            address = d;
        } else {
            address = g[order[rm | b << 3]];
        }
        if (mod == 1) {
            address += (int64_t)(int8_t)*at++ * scale;
        } else if (mod == 2) {
            int32_t d;
            memcpy(&d, at, 4);
            at += 4;
            address += d;
        }
        if (imm)
            in->imm = *at++;
        if (relative)
            address += (uint64_t)at;
        in->address = (uint8_t *)address;
    } else if (imm) {
        in->imm = *at++;
    }
    in->next = at;
}

static int hasImmediate(const instruction *in)
{
    return in->map == 3 || (in->map == 1 && (in->opcode == 0x72 || in->opcode == 0x73));
}

// source returns the last operand: a register, memory, or one word of it eight times.
static zmm source(const instruction *in)
{
    zmm v = { { 0 } };
    if (!in->memory)
        return z[in->rm];
    if (in->broadcast) {
        uint64_t w;
        memcpy(&w, in->address, 8);
        for (int i = 0; i < 8; i++)
            v.w[i] = w;
        return v;
    }
    memcpy(&v, in->address, 16 << in->length);
    return v;
}

// result writes a register under the mask.
static void result(const instruction *in, int reg, zmm v)
{
    for (int i = 0; i < 8; i++) {
        if (i >= 2 << in->length)
            z[reg].w[i] = 0;
        else if (in->mask == 0 || (k[in->mask] >> i & 1))
            z[reg].w[i] = v.w[i];
        else if (in->zeroing)
            z[reg].w[i] = 0;
    }
}

static int compare(int predicate, uint64_t a, uint64_t b, int is_signed)
{
    int less = is_signed ? (int64_t)a < (int64_t)b : a < b, equal = a == b;
    switch (predicate & 7) {
    case 0: return equal;
    case 1: return less;
    case 2: return less || equal;
    case 3: return 0;
    case 4: return !equal;
    case 5: return !less;
    case 6: return !(less || equal);
    }
    return 1;
}

// lanewise computes one word of the instructions whose words do not mix; false if the
// instruction is none of them.
static int lanewise(const instruction *in, uint64_t d, uint64_t a, uint64_t b, uint64_t *out)
{
    const uint64_t limb = (1ULL << 52) - 1;
    u128 product = (u128)(a & limb) * (b & limb);
    uint64_t r = 0;
    switch (in->map << 8 | in->opcode) {
    case 0x1d4: *out = a + b; return 1;
    case 0x1fb: *out = a - b; return 1;
    case 0x1db: *out = a & b; return 1;
    case 0x1eb: *out = a | b; return 1;
    case 0x1ef: *out = a ^ b; return 1;
    case 0x2b4: *out = d + ((uint64_t)product & limb); return 1;
    case 0x2b5: *out = d + (uint64_t)(product >> 52); return 1;
    case 0x325:
        for (int i = 0; i < 64; i++)
            r |= (uint64_t)(in->imm >> ((d >> i & 1) << 2 | (a >> i & 1) << 1 | (b >> i & 1)) & 1) << i;
        *out = r;
        return 1;
    }
    return 0;
}

// shifted computes the shifts by an immediate, whose destination is the second operand.
static int shifted(const instruction *in, uint64_t b, uint64_t *out)
{
    int kind = in->opcode << 4 | (in->reg & 7), n = in->imm;
    switch (kind) {
    case 0x732: *out = n > 63 ? 0 : b >> n; return 1;
    case 0x736: *out = n > 63 ? 0 : b << n; return 1;
    case 0x724: *out = (int64_t)b >> (n > 63 ? 63 : n); return 1;
    }
    return 0;
}

// execute carries out a decoded EVEX instruction; false if it is unknown.
static int execute(const instruction *in)
{
    zmm v, a = z[in->second], b;
    int code = in->map << 8 | in->opcode;
    if (!in->wide && code != 0x200)
        return 0;
    if ((code == 0x17f && (in->pp == 1 || in->pp == 2)) || code == 0x33b) { // stores
        int half = code == 0x33b;
        zmm s = z[in->reg];
        if (half)
            memcpy(&s, &z[in->reg].w[4 * (in->imm & 1)], 32);
        if (!in->memory) {
            if (half)
                return 0;
            result(in, in->rm, s);
            return 1;
        }
        for (int i = 0; i < (half ? 4 : 2 << in->length); i++)
            if (in->mask == 0 || (k[in->mask] >> i & 1))
                memcpy(in->address + 8 * i, &s.w[i], 8);
        return 1;
    }
    b = v = source(in);
    switch (code) {
    case 0x16f: // moves
        result(in, in->reg, v);
        return in->pp == 1 || in->pp == 2;
    case 0x259:           // broadcast
    case 0x27c: return 0; // handled by the caller
    case 0x16c:
    case 0x16d:
        for (int i = 0; i < 8; i += 2) {
            v.w[i] = a.w[i + (in->opcode & 1)];
            v.w[i + 1] = b.w[i + (in->opcode & 1)];
        }
        break;
    case 0x343:
        for (int i = 0; i < 4; i++)
            memcpy(&v.w[2 * i], &(i < 2 ? &a : &b)->w[2 * (in->imm >> 2 * i & 3)], 16);
        break;
    case 0x200: // bytes of a chosen by b, within 128 bits
        for (int i = 0; i < 64; i++) {
            uint8_t c = ((uint8_t *)&b)[i];
            ((uint8_t *)&v)[i] = c & 0x80 ? 0 : ((uint8_t *)&a)[(i & ~15) + (c & 15)];
        }
        break;
    case 0x33a:
        v = a;
        memcpy(&v.w[4 * (in->imm & 1)], &b, 32);
        break;
    case 0x236:
        for (int i = 0; i < 8; i++)
            v.w[i] = b.w[a.w[i] & 7];
        break;
    case 0x31e:
    case 0x31f:
    case 0x227: {
        uint64_t bits = 0;
        for (int i = 0; i < 8; i++) {
            int yes;
            if (code == 0x227)
                yes = ((a.w[i] & b.w[i]) == 0) == (in->pp == 2);
            else
                yes = compare(in->imm, a.w[i], b.w[i], code == 0x31f);
            if (in->mask == 0 || (k[in->mask] >> i & 1))
                bits |= (uint64_t)yes << i;
        }
        k[in->reg & 7] = bits;
        return 1;
    }
    case 0x172:
    case 0x173:
        for (int i = 0; i < 8; i++)
            if (!shifted(in, b.w[i], &v.w[i]))
                return 0;
        result(in, in->second, v);
        return 1;
    default:
        for (int i = 0; i < 8; i++)
            if (!lanewise(in, z[in->reg].w[i], a.w[i], b.w[i], &v.w[i]))
                return 0;
    }
    if (in->pp != 1)
        return 0;
    result(in, in->reg, v);
    return 1;
}

// evex decodes and carries out an instruction with an EVEX prefix.
static uint8_t *evex(uint8_t *at, greg_t *g)
{
    uint8_t p0 = at[1], p1 = at[2], p2 = at[3];
    instruction in = { 0 };
    in.map = p0 & 7;
    in.pp = p1 & 3;
    in.wide = p1 >> 7;
    in.length = p2 >> 5 & 3;
    in.broadcast = p2 >> 4 & 1;
    in.zeroing = p2 >> 7;
    in.mask = p2 & 7;
    in.opcode = at[4];
    in.second = (~p1 >> 3 & 15) | (~p2 >> 3 & 1) << 4;
    int broadcastMove = in.map == 2 && in.opcode == 0x59;
    int half = in.map == 3 && (in.opcode == 0x3a || in.opcode == 0x3b);
    int scale = in.broadcast || broadcastMove ? 8 : half ? 32 : 16 << in.length;
    int x = ~p0 >> 6 & 1;
    operands(&in, at + 5, g, ~p0 >> 7 & 1, x, ~p0 >> 5 & 1, ~p0 >> 4 & 1, x, scale, hasImmediate(&in));
    if (half)
        in.broadcast = 0;
    if (broadcastMove) {
        if (!in.memory)
            return 0;
        in.broadcast = 1;
        result(&in, in.reg, source(&in));
        return in.next;
    }
    if (half && in.opcode == 0x3a && in.memory) { // 32 bytes, whatever the length of the result
        zmm v = z[in.second];
        memcpy(&v.w[4 * (in.imm & 1)], in.address, 32);
        result(&in, in.reg, v);
        return in.next;
    }
    return execute(&in) ? in.next : 0;
}

// vex decodes and carries out the instructions on mask registers: KORW, KXORW, KMOVW.
static uint8_t *vex(uint8_t *at, greg_t *g)
{
    int second, r, b = 0, map, wide = 0;
    uint8_t p;
    if (at[0] == 0xc5) {
        p = at[1];
        r = ~p >> 7 & 1;
        map = 1;
        at += 2;
    } else {
        r = ~at[1] >> 7 & 1;
        b = ~at[1] >> 5 & 1;
        map = at[1] & 31;
        p = at[2];
        wide = p >> 7;
        at += 3;
    }
    second = ~p >> 3 & 15;
    uint8_t opcode = at[0], modrm = at[1];
    int reg = (modrm >> 3 & 7), rm = modrm & 7;
    if (map != 1 || wide || (p & 3) != 0 || modrm >> 6 != 3)
        return 0;
    switch (opcode) {
    case 0x47: k[reg] = (k[second & 7] ^ k[rm]) & 0xffff; break;
    case 0x45: k[reg] = (k[second & 7] | k[rm]) & 0xffff; break;
    case 0x92: k[reg] = g[order[rm | b << 3]] & 0xffff; break;
    case 0x93: g[order[reg | r << 3]] = k[rm]; break;
    default: return 0;
    }
    return at + 2;
}

static uint8_t *step(uint8_t *at, greg_t *g)
{
    switch (at[0]) {
    case 0x62: return evex(at, g);
    case 0xc4:
    case 0xc5: return vex(at, g);
    }
    return 0;
}

static void handle(int number, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint8_t *at = (uint8_t *)g[REG_RIP], *next;
    int done = 0;
    while ((next = step(at, g))) {
        at = next;
        done = 1;
    }
    if (done) {
        g[REG_RIP] = (greg_t)at;
        return;
    }
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_IGN && before.sa_handler != SIG_DFL)
        before.sa_handler(number);
}

int cuzk_emulator_install(void)
{
    struct sigaction action = { 0 };
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&action.sa_mask);
    return sigaction(SIGILL, &action, &before);
}
