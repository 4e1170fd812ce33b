//! The network's numbers of registered proofs, from their names in
//! filecoin-proofs-api, as that crate's enums and plain strings serialize.
//!
//! These are not always the names of filecoin-ffi and Go: the second WindowPoSt
//! is `…V1_2` here and `…V1_1` there.

use crate::{Code, Error, Result, SnarkPack};
use serde::Serialize;

const SIZES: [&str; 5] = ["2KiB", "8MiB", "512MiB", "32GiB", "64GiB"];

/// A family of registered proofs: what stands before and after the size in
/// their names, in the order of the numbers; each form has one proof per size.
struct Family {
    name: &'static str,
    forms: &'static [(&'static str, &'static str)],
}

const SEAL: Family = Family {
    name: "seal",
    forms: &[
        ("StackedDrg", "V1"),
        ("StackedDrg", "V1_1"),
        ("StackedDrg", "V1_1_Feat_SyntheticPoRep"),
        ("StackedDrg", "V1_2_Feat_NonInteractivePoRep"),
    ],
};
const POST: Family = Family {
    name: "PoSt",
    forms: &[("StackedDrgWinning", "V1"), ("StackedDrgWindow", "V1"), ("StackedDrgWindow", "V1_2")],
};
const UPDATE: Family = Family { name: "update", forms: &[("StackedDrg", "V1")] };

pub(super) fn seal_proof(proof: impl Serialize) -> Result<i32> {
    SEAL.number(proof)
}

/// The version of SnarkPack, from its name in filecoin-proofs-api or its number.
pub(super) fn aggregation_proof(proof: impl Serialize) -> Result<SnarkPack> {
    match serde_json::to_value(proof).ok().as_ref().and_then(|v| v.as_str()) {
        Some("SnarkPackV1") => Ok(SnarkPack::V1),
        Some("SnarkPackV2") => Ok(SnarkPack::V2),
        other => Err(Error::new(
            Code::Argument,
            "aggregate_version",
            format!("unknown aggregation proof {other:?}: want SnarkPackV1 or SnarkPackV2"),
        )),
    }
}

pub(super) fn update_proof(proof: impl Serialize) -> Result<i32> {
    UPDATE.number(proof)
}

/// The two kinds of PoSt, which share numbers and types but not calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PostType {
    Winning,
    Window,
}

/// The number of a PoSt proof of the wanted kind.
pub(super) fn post_proof(proof: impl Serialize, wanted: PostType) -> Result<i32> {
    let number = POST.number(proof)?;
    check_post_type(number, wanted)?;
    Ok(number)
}

/// The number of a PoSt proof of either kind.
pub(super) fn any_post_proof(proof: impl Serialize) -> Result<i32> {
    POST.number(proof)
}

pub(super) fn check_post_type(number: i32, wanted: PostType) -> Result<()> {
    let found = if number < SIZES.len() as i32 { PostType::Winning } else { PostType::Window };
    if found == wanted {
        return Ok(());
    }
    let text = format!("the registered proof is a {found:?} PoSt, this call is for {wanted:?} PoSt");
    Err(Error::new(Code::Argument, "registered_proof", text))
}

/// How many sectors a partition of a WindowPoSt holds.
pub(super) fn sectors_of(window: i32) -> usize {
    [2, 2, 2, 2349, 2300][window as usize % SIZES.len()]
}

impl Family {
    fn number(&self, proof: impl Serialize) -> Result<i32> {
        let name = match serde_json::to_value(proof) {
            Ok(serde_json::Value::String(name)) => name,
            other => {
                let text = format!("a registered proof serializes to its name, this one to {other:?}");
                return Err(Error::new(Code::Argument, "registered_proof", text));
            }
        };
        self.find(&name).ok_or_else(|| {
            let text = format!("{name:?} is no registered {} proof", self.name);
            Error::new(Code::Argument, "registered_proof", text)
        })
    }

    fn find(&self, name: &str) -> Option<i32> {
        let forms = self.forms.iter().flat_map(|form| SIZES.iter().map(move |size| (form, size)));
        let position =
            forms.map(|((before, after), size)| format!("{before}{size}{after}")).position(|n| n == name)?;
        i32::try_from(position).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_names() {
        for (name, want) in [
            ("StackedDrg2KiBV1", 0),
            ("StackedDrg64GiBV1", 4),
            ("StackedDrg32GiBV1_1", 8),
            ("StackedDrg2KiBV1_1_Feat_SyntheticPoRep", 10),
            ("StackedDrg64GiBV1_2_Feat_NonInteractivePoRep", 19),
        ] {
            assert_eq!(seal_proof(name).unwrap(), want, "{name}");
        }
        for (name, want) in [
            ("StackedDrgWinning2KiBV1", 0),
            ("StackedDrgWinning64GiBV1", 4),
            ("StackedDrgWindow2KiBV1", 5),
            ("StackedDrgWindow32GiBV1_2", 13),
        ] {
            assert_eq!(any_post_proof(name).unwrap(), want, "{name}");
        }
        assert_eq!(update_proof("StackedDrg512MiBV1").unwrap(), 2);
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "StackedDrg", "StackedDrg2KiB", "StackedDrg4KiBV1", "StackedDrg2KiBV1_2", "2KiBV1"] {
            let error = seal_proof(name).unwrap_err();
            assert_eq!(error.code, Code::Argument, "{name}");
            assert!(error.message.contains(&format!("{name:?}")), "{error}");
        }
        assert_eq!(seal_proof(7).unwrap_err().code, Code::Argument);
        // The name of filecoin-ffi and Go, not of this crate's model.
        assert_eq!(any_post_proof("StackedDrgWindow2KiBV1_1").unwrap_err().code, Code::Argument);
        assert_eq!(update_proof("StackedDrg2KiBV1_1").unwrap_err().code, Code::Argument);
    }

    #[test]
    fn winning_is_not_window() {
        assert_eq!(post_proof("StackedDrgWinning8MiBV1", PostType::Winning).unwrap(), 1);
        assert_eq!(post_proof("StackedDrgWindow8MiBV1", PostType::Window).unwrap(), 6);
        for (name, wanted) in
            [("StackedDrgWinning8MiBV1", PostType::Window), ("StackedDrgWindow8MiBV1", PostType::Winning)]
        {
            assert_eq!(post_proof(name, wanted).unwrap_err().code, Code::Argument);
        }
    }
}
