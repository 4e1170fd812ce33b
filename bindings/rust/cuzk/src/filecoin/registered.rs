//! The network's numbers of registered proofs, from their names.

use crate::{Code, Error, Result};
use serde::Serialize;

const SIZES: [&str; 5] = ["2KiB", "8MiB", "512MiB", "32GiB", "64GiB"];
/// In the order of the numbers; each has one proof per size.
const SEAL_VERSIONS: [&str; 4] = ["V1", "V1_1", "V1_1_Feat_SyntheticPoRep", "V1_2_Feat_NonInteractivePoRep"];

/// The number of a seal proof that serializes to its name, as the published
/// `RegisteredSealProof` and a string do.
pub(super) fn seal_proof(proof: impl Serialize) -> Result<i32> {
    let name = match serde_json::to_value(proof) {
        Ok(serde_json::Value::String(name)) => name,
        other => {
            let text = format!("a registered proof serializes to its name, this one to {other:?}");
            return Err(Error::new(Code::Argument, "registered_proof", text));
        }
    };
    number(&name, &SEAL_VERSIONS).ok_or_else(|| {
        Error::new(Code::Argument, "registered_proof", format!("{name:?} is no registered seal proof"))
    })
}

fn number(name: &str, versions: &[&str]) -> Option<i32> {
    let rest = name.strip_prefix("StackedDrg")?;
    SIZES.iter().zip(0..).find_map(|(size, s)| {
        let version = rest.strip_prefix(size)?;
        let v = versions.iter().zip(0..).find(|(known, _)| **known == version)?.1;
        Some(v * SIZES.len() as i32 + s)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_seal_proofs() {
        for (name, want) in [
            ("StackedDrg2KiBV1", 0),
            ("StackedDrg64GiBV1", 4),
            ("StackedDrg32GiBV1_1", 8),
            ("StackedDrg2KiBV1_1_Feat_SyntheticPoRep", 10),
            ("StackedDrg64GiBV1_2_Feat_NonInteractivePoRep", 19),
        ] {
            assert_eq!(seal_proof(name).unwrap(), want, "{name}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "StackedDrg", "StackedDrg2KiB", "StackedDrg4KiBV1", "StackedDrg2KiBV1_2", "2KiBV1"] {
            let error = seal_proof(name).unwrap_err();
            assert_eq!(error.code, Code::Argument, "{name}");
            assert!(error.message.contains(&format!("{name:?}")), "{error}");
        }
        assert_eq!(seal_proof(7).unwrap_err().code, Code::Argument);
    }
}
