//! Holds the declarations of this crate against `include/cuzk.h`.
//!
//! Every Rust item is translated to C and compiled after `#include "cuzk.h"`: a
//! function as a second declaration (the compiler refuses it unless the types
//! are the same), a struct as a mirror whose size, offsets and member types are
//! asserted, a constant and an alias as a static assertion. The two tests after
//! that see to it that nothing of the header is left out, and that a wrong
//! declaration is noticed at all.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use syn::{Fields, FnArg, ForeignItem, GenericArgument, Item, Pat, PathArguments, ReturnType, Type};

#[test]
fn declarations_agree_with_the_header() {
    let c = Translation::of_this_crate();
    assert!(!c.functions.is_empty() && !c.constants.is_empty());
    compile(&c.source).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn nothing_of_the_header_is_missing() {
    let header = without_comments(&fs::read_to_string(include_dir().join("cuzk.h")).unwrap());
    let c = Translation::of_this_crate();
    let functions = called_names(&header);
    assert!(functions.contains("cuzk_init"), "the scan of the header found no cuzk_init");
    assert_eq!(functions, c.functions, "functions of cuzk.h (left) and of this crate (right)");
    let constants = integer_macros(&header);
    assert_eq!(constants, c.constants, "constants of cuzk.h (left) and of this crate (right)");
}

/// The check itself must be able to fail: one changed type per kind of item.
#[test]
fn a_wrong_declaration_is_refused() {
    let c = Translation::of_this_crate();
    for (from, to) in [
        ("void cuzk_free(", "int32_t cuzk_free("),
        ("const cuzk_options *", "cuzk_options *"),
        ("uint32_t struct_size;", "uint64_t struct_size;"),
        ("_Static_assert(CUZK_OK == 0", "_Static_assert(CUZK_OK == 1"),
    ] {
        let wrong = c.source.replacen(from, to, 1);
        assert_ne!(wrong, c.source, "{from:?} is not in the translation");
        assert!(compile(&wrong).is_err(), "the compiler accepted {to:?}");
    }
}

fn include_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include")
}

/// Compiles C11 text without writing output; the error is the compiler's.
fn compile(source: &str) -> Result<(), String> {
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-std=c11", "-Wall", "-Werror", "-Wno-array-parameter", "-fsyntax-only", "-x", "c", "-I"])
        .arg(include_dir())
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a C compiler (cc, or the one that CC names)");
    cc.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let out = cc.wait_with_output().unwrap();
    match out.status.success() {
        true => Ok(()),
        false => Err(format!("{}\n--- translated source\n{source}", String::from_utf8_lossy(&out.stderr))),
    }
}

/// The crate's public items in C, and their names.
#[derive(Default)]
struct Translation {
    source: String,
    functions: BTreeSet<String>,
    constants: BTreeSet<String>,
}

impl Translation {
    fn of_this_crate() -> Self {
        let mut t = Translation::default();
        t.line("#include \"cuzk.h\"");
        t.line("#include <stddef.h>");
        for file in ["lib.rs", "experimental.rs", "codes.rs"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for item in syn::parse_file(&text).unwrap().items {
                t.item(&item);
            }
        }
        t
    }

    fn line(&mut self, text: &str) {
        writeln!(self.source, "{text}").unwrap();
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::ForeignMod(block) => block.items.iter().for_each(|i| self.function(i)),
            Item::Struct(s) => self.structure(s),
            Item::Const(c) => self.constant(c),
            Item::Type(a) => {
                let (name, c) = (a.ident.to_string(), c_type(&a.ty, ""));
                self.line(&format!("_Static_assert(_Generic(({name})0, {c}: 1, default: 0), \"{name}\");"));
            }
            // The code enum is built from the constants; modules and re-exports declare nothing.
            Item::Enum(_) | Item::Impl(_) | Item::Mod(_) | Item::Use(_) | Item::ExternCrate(_) => {}
            other => panic!("an item that this test does not translate: {other:?}"),
        }
    }

    fn function(&mut self, item: &ForeignItem) {
        let ForeignItem::Fn(f) = item else { panic!("only functions are declared: {item:?}") };
        let args: Vec<String> = f.sig.inputs.iter().map(argument).collect();
        let args = if args.is_empty() { "void".into() } else { args.join(", ") };
        let name = f.sig.ident.to_string();
        let c = returned(&f.sig.output, &format!("{name}({args})"));
        self.line(&format!("{c};"));
        self.functions.insert(name);
    }

    fn structure(&mut self, s: &syn::ItemStruct) {
        let name = s.ident.to_string();
        let Fields::Named(fields) = &s.fields else { panic!("{name} has no named fields") };
        let fields: Vec<(String, &Type)> =
            fields.named.iter().map(|f| (f.ident.as_ref().unwrap().to_string(), &f.ty)).collect();
        if fields.iter().all(|(f, _)| f.starts_with('_')) {
            // Opaque: the header must know the name, and know no more.
            self.line(&format!("extern void see_{name}({name} *);"));
            return;
        }
        let members: String = fields.iter().map(|(f, t)| format!(" {};", c_type(t, f))).collect();
        self.line(&format!("struct mirror_{name} {{{members} }};"));
        self.line(&format!(
            "_Static_assert(sizeof(struct mirror_{name}) == sizeof({name}), \"size of {name}\");"
        ));
        for (f, t) in fields {
            self.line(&format!(
                "_Static_assert(offsetof(struct mirror_{name}, {f}) == offsetof({name}, {f}), \"offset of {name}.{f}\");"
            ));
            let pointer = c_type(t, "(*)");
            self.line(&format!(
                "_Static_assert(_Generic(&(({name} *)0)->{f}, {pointer}: 1, default: 0), \"type of {name}.{f}\");"
            ));
        }
    }

    fn constant(&mut self, c: &syn::ItemConst) {
        let (name, value) = (c.ident.to_string(), integer(&c.expr));
        self.line(&format!("_Static_assert({name} == {value}, \"{name}\");"));
        self.constants.insert(name);
    }
}

fn integer(e: &syn::Expr) -> i128 {
    match e {
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Neg(_)) => -integer(&u.expr),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse().unwrap(),
        other => panic!("constants are plain integers: {other:?}"),
    }
}

fn argument(a: &FnArg) -> String {
    let FnArg::Typed(a) = a else { panic!("self in a C function") };
    let Pat::Ident(name) = &*a.pat else { panic!("a parameter without a name") };
    c_type(&a.ty, &name.ident.to_string())
}

fn returned(r: &ReturnType, declarator: &str) -> String {
    match r {
        ReturnType::Default => format!("void {declarator}"),
        ReturnType::Type(_, t) => c_type(t, declarator),
    }
}

/// A C declaration of `declarator` (which may be empty) with the Rust type `t`.
fn c_type(t: &Type, declarator: &str) -> String {
    match t {
        Type::Ptr(p) => {
            let pointer = match &*p.elem {
                Type::Array(_) => format!("(*{declarator})"),
                _ => format!("*{declarator}"),
            };
            match (&*p.elem, p.mutability.is_some()) {
                // `T *const *`: const belongs to the inner pointer, not to what it points to.
                (inner @ Type::Ptr(_), false) => c_type(inner, &format!("const {pointer}")),
                (inner, false) => format!("const {}", c_type(inner, &pointer)),
                (inner, true) => c_type(inner, &pointer),
            }
        }
        Type::Array(a) => {
            let length = integer(&a.len);
            c_type(&a.elem, &format!("{declarator}[{length}]"))
        }
        Type::Path(p) => {
            let last = p.path.segments.last().unwrap();
            match (last.ident.to_string().as_str(), &last.arguments) {
                ("Option", PathArguments::AngleBracketed(args)) => match args.args.first() {
                    Some(GenericArgument::Type(Type::BareFn(f))) => function_pointer(f, declarator),
                    other => panic!("Option of {other:?}"),
                },
                (name, _) => format!("{} {declarator}", c_name(name)).trim_end().to_string(),
            }
        }
        Type::BareFn(f) => function_pointer(f, declarator),
        other => panic!("a type that this test does not translate: {other:?}"),
    }
}

fn function_pointer(f: &syn::TypeBareFn, declarator: &str) -> String {
    let args: Vec<String> = f.inputs.iter().map(|a| c_type(&a.ty, "")).collect();
    returned(&f.output, &format!("(*{declarator})({})", args.join(", ")))
}

fn c_name(rust: &str) -> &str {
    match rust {
        "u8" => "uint8_t",
        "u16" => "uint16_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i32" => "int32_t",
        "i64" => "int64_t",
        "f64" => "double",
        "usize" => "size_t",
        "c_char" => "char",
        "c_void" => "void",
        name if name.starts_with("cuzk_") => name,
        other => panic!("a type that must not cross the ABI: {other}"),
    }
}

fn without_comments(header: &str) -> String {
    let (mut out, mut rest) = (String::new(), header);
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        let end = rest[start..].find("*/").expect("an unterminated comment") + start + 2;
        rest = &rest[end..];
    }
    out.push_str(rest);
    out.lines().map(|l| l.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// Names `cuzk_…` that are followed by a parenthesis: the declared functions.
fn called_names(header: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code: String =
        header.lines().filter(|l| !l.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n");
    code.match_indices("cuzk_")
        .filter(|(at, _)| !code[..*at].ends_with(word))
        .map(|(at, _)| code[at..].split(|c| !word(c)).next().unwrap())
        .filter(|name| {
            let end = name.as_ptr() as usize - code.as_ptr() as usize + name.len();
            code[end..].trim_start().starts_with('(')
        })
        .map(str::to_owned)
        .collect()
}

/// Macros `CUZK_…` that stand for one integer.
fn integer_macros(header: &str) -> BTreeSet<String> {
    header
        .lines()
        .filter_map(|l| l.trim().strip_prefix("#define ")?.split_once(char::is_whitespace))
        .filter(|(name, value)| {
            let digits = value.trim().trim_matches(|c| "()-uULl".contains(c)).replace("INT32_C", "");
            name.starts_with("CUZK_")
                && !name.contains('(')
                && !digits.is_empty()
                && digits.chars().all(|c| c.is_ascii_hexdigit() || c == 'x')
        })
        .map(|(name, _)| name.to_owned())
        .collect()
}
