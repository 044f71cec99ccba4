//! What is written into a prompt so that a CLI does not act on it.

use super::measure::Unit;
use crate::render::Sink;

/// Short texts that are written into another at given places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Insertions {
    texts: Vec<String>,
    /// Byte offsets in ascending order, each with the index of a text.
    places: Vec<(usize, usize)>,
}

impl Insertions {
    /// Adds a text at byte offsets, which come in ascending order.
    pub fn add(&mut self, text: &str, offsets: impl Iterator<Item = usize>) {
        let index = self.texts.len();
        self.texts.push(text.to_owned());
        self.places.extend(offsets.map(|offset| (offset, index)));
        self.places.sort_unstable();
    }

    /// Whether there is nothing to insert.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The size of all that is inserted.
    pub fn measure(&self, unit: Unit) -> usize {
        let sizes: Vec<usize> =
            self.texts.iter().map(|text| unit.measure(text.as_bytes())).collect();
        self.places.iter().map(|(_, index)| sizes[*index]).sum()
    }

    /// Writes a text with the insertions.
    pub fn write(&self, text: &[u8], sink: &mut impl Sink) {
        let mut written = 0;
        for (offset, index) in &self.places {
            sink.push(&text[written..*offset]);
            sink.push(self.texts[*index].as_bytes());
            written = *offset;
        }
        sink.push(&text[written..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_inserted_in_order() {
        let mut insertions = Insertions::default();
        assert!(insertions.is_empty());
        insertions.add("\\", [1, 3].into_iter());
        insertions.add("漢", [0, 4].into_iter());
        let mut written = Vec::new();
        insertions.write(b"abcd", &mut written);
        assert_eq!(String::from_utf8_lossy(&written), "漢a\\bc\\d漢");
        assert_eq!(insertions.measure(Unit::Bytes), 8);
        assert_eq!(insertions.measure(Unit::CodePoints), 4);
    }
}
