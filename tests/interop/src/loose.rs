//! The vanilla proof of an update's partition as a structure in which every
//! length, index and variant can be changed, and its bincode form.

use crate::verdicts::Node;

#[derive(Clone, Debug)]
pub struct Partition {
    pub comm_c: Node,
    pub apex_leafs: Vec<Node>,
    pub challenges: Vec<[Path; 3]>,
}

#[derive(Clone, Debug)]
pub struct Path {
    pub variant: u32,
    pub root: Node,
    pub leaf: Node,
    pub parts: Vec<Vec<Level>>,
}

#[derive(Clone, Debug)]
pub struct Level {
    pub siblings: Vec<Node>,
    pub index: u64,
}

impl Partition {
    /// None if the bytes are none.
    pub fn parse(data: &[u8]) -> Option<Self> {
        let mut r = Reader(data);
        let comm_c = r.node()?;
        let apex_leafs = r.list(Reader::node)?;
        let challenges = r.list(|r| Some([r.path()?, r.path()?, r.path()?]))?;
        Some(Partition { comm_c, apex_leafs, challenges })
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = self.comm_c.to_vec();
        list(&mut out, &self.apex_leafs, |out, n| out.extend(n));
        list(&mut out, &self.challenges, |out, paths| paths.iter().for_each(|p| p.write(out)));
        out
    }
}

impl Path {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.variant.to_le_bytes());
        let ends = |out: &mut Vec<u8>| out.extend([self.root, self.leaf].concat());
        if self.variant == 0 {
            ends(out);
        }
        for part in &self.parts {
            list(out, part, |out, level| {
                list(out, &level.siblings, |out, n| out.extend(n));
                out.extend(level.index.to_le_bytes());
            });
        }
        if self.variant != 0 {
            ends(out);
        }
    }
}

fn list<T>(out: &mut Vec<u8>, items: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    out.extend((items.len() as u64).to_le_bytes());
    items.iter().for_each(|item| write(out, item));
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>()?;
        self.0 = tail;
        Some(*head)
    }

    fn node(&mut self) -> Option<Node> {
        self.take()
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let n = u64::from_le_bytes(self.take()?);
        (0..n).map(|_| read(self)).collect()
    }

    fn path(&mut self) -> Option<Path> {
        let variant = u32::from_le_bytes(self.take()?);
        let (mut root, mut leaf) = Default::default();
        if variant == 0 {
            (root, leaf) = (self.node()?, self.node()?);
        }
        let parts = (0..=variant).map(|_| self.list(Self::level)).collect::<Option<_>>()?;
        if variant != 0 {
            (root, leaf) = (self.node()?, self.node()?);
        }
        Some(Path { variant, root, leaf, parts })
    }

    fn level(&mut self) -> Option<Level> {
        Some(Level { siblings: self.list(Self::node)?, index: u64::from_le_bytes(self.take()?) })
    }
}
