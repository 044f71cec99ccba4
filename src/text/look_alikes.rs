//! Which characters a reader takes for the same, or does not see at all.
//!
//! What Unicode says of them is in `unicode_tables`; which of them look alike is decided here.

use super::unicode_tables::{is_dash, is_default_ignorable, is_without_width, without_accent};

/// The ASCII characters that this one looks like. Full-width forms have a rule of their own.
fn read_as(c: char) -> Option<&'static str> {
    Some(match c {
        '【' | '〔' | '〖' | '〘' | '〚' | '⟦' | '⟬' | '❲' | '⁅' | '⦋' | '⦍' | '⦏' | '﹝'
        | '︹' | '︻' | '︗' | '﹇' | '⎡' | '⎣' => "[",
        '】' | '〕' | '〗' | '〙' | '〛' | '⟧' | '⟭' | '❳' | '⁆' | '⦌' | '⦎' | '⦐' | '﹞'
        | '︺' | '︼' | '︘' | '﹈' | '⎤' | '⎦' => "]",
        '﹙' | '⁽' | '₍' | '❨' | '❪' | '⟮' | '⦅' | '｟' | '︵' | '⸨' => "(",
        '﹚' | '⁾' | '₎' | '❩' | '❫' | '⟯' | '⦆' | '｠' | '︶' | '⸩' => ")",
        // Dashes, and lines that are drawn like one.
        '⁃' | '─' | '━' | '╴' | '╶' | '➖' | '˗' => "-",
        _ if is_dash(c) => "-",
        '→' | '↠' | '↣' | '↦' | '⇒' | '⇛' | '⇝' | '⇢' | '⇨' | '⇾' | '⟶' | '⟹' | '⟼' | '⟾' | '⤍'
        | '⤏' | '⤐' | '➔' | '➙' | '➛' | '➜' | '➝' | '➞' | '➟' | '➠' | '➡' | '➢' | '➣' | '➤'
        | '➥' | '➨' | '➩' | '➪' | '➫' | '➬' | '➭' | '➮' | '➯' | '➱' | '➲' | '➵' | '➸' | '➺'
        | '➻' | '➼' | '➽' | '➾' | '⭢' | '⮕' | '￫' | '🡒' | '🡪' | '🡲' | '🠖' | '🠚' | '🢂' => {
            "->"
        }
        '›' | '❯' | '❱' | '⟩' | '\u{3009}' | '\u{232A}' | '﹥' | '≻' | 'ᐳ' | '˃' => {
            ">"
        }
        '﹕' | '꞉' | '∶' | 'ː' | '˸' | '։' | '\u{5C3}' | '\u{703}' | '\u{704}' | '᠄' | '⁚'
        | '፡' => ":",
        '﹍' | '﹎' | '﹏' | '‿' | '⁔' => "_",
        '﹟' | '♯' => "#",
        '﹨' | '∖' | '⧵' | '⧹' => "\\",
        '﹦' | '═' | '゠' => "=",
        // Without its dot, which is a combining mark; the dotless one is folded by letter case.
        'İ' => "i",
        _ => return None,
    })
}

/// What a reader sees of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    /// Nothing, or a gap.
    Invisible,
    /// White space.
    Space,
    /// This character, or one that counts as the same.
    Visible(char),
}

/// The glyphs of one character: mostly one, at most four.
#[derive(Debug, Clone, Copy)]
pub struct Glyphs {
    glyphs: [Glyph; 4],
    count: usize,
}

impl Glyphs {
    const NONE: Glyphs = Glyphs { glyphs: [Glyph::Invisible; 4], count: 0 };

    fn one(glyph: Glyph) -> Self {
        let mut glyphs = Glyphs::NONE;
        glyphs.push(glyph);
        glyphs
    }

    fn push(&mut self, glyph: Glyph) {
        if let Some(free) = self.glyphs.get_mut(self.count) {
            *free = glyph;
            self.count += 1;
        }
    }

    /// The glyphs in order.
    pub fn as_slice(&self) -> &[Glyph] {
        &self.glyphs[..self.count]
    }
}

/// Whether nothing is seen of this character: it is ignorable, of no width, or a control
/// character. White space is not invisible here.
pub fn is_invisible(c: char) -> bool {
    match c {
        ' '..='~' | '\u{3400}'..='\u{9FFF}' => false,
        _ => c.is_control() && !c.is_whitespace() || is_default_ignorable(c) || is_without_width(c),
    }
}

/// Whether this character is blank at either end of a line: white space, or invisible.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// What a reader sees of a character, without regard to letter case, to width and to the
/// differences between look-alikes.
pub fn glyphs(c: char) -> Glyphs {
    match c {
        ' ' => Glyphs::one(Glyph::Space),
        '!'..='~' => Glyphs::one(Glyph::Visible(c.to_ascii_lowercase())),
        // Ideographs and Hangul syllables have no case and no look-alikes here.
        '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => Glyphs::one(Glyph::Visible(c)),
        // It has its white space inside it.
        '：' | '︓' => {
            let mut glyphs = Glyphs::one(Glyph::Visible(':'));
            glyphs.push(Glyph::Invisible);
            glyphs
        }
        '\u{FF01}'..='\u{FF5E}' => {
            let ascii = char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c);
            Glyphs::one(Glyph::Visible(ascii.to_ascii_lowercase()))
        }
        _ if c.is_whitespace() => Glyphs::one(Glyph::Space),
        _ if is_invisible(c) => Glyphs::one(Glyph::Invisible),
        _ => match (read_as(c), styled_letter(c)) {
            (Some(ascii), _) => visible(ascii.chars()),
            (None, Some(letter)) => Glyphs::one(Glyph::Visible(letter)),
            (None, None) => fold_case(c),
        },
    }
}

/// Full case folding, as far as the standard library has it: ß is ss, ς is σ, ı is i.
fn fold_case(c: char) -> Glyphs {
    let upper = c.to_lowercase().flat_map(char::to_uppercase);
    visible(upper.flat_map(char::to_lowercase))
}

fn visible(chars: impl Iterator<Item = char>) -> Glyphs {
    let mut glyphs = Glyphs::NONE;
    // Folding can yield a letter with a combining mark.
    // As accents of their own are not seen, those that are part of a letter are not, either.
    let seen = chars.filter(|c| !is_invisible(*c)).map(without_accent);
    seen.for_each(|c| glyphs.push(Glyph::Visible(c)));
    glyphs
}

/// The ASCII letter that a mathematical, circled or squared letter stands for.
fn styled_letter(c: char) -> Option<char> {
    let code_point = u32::from(c);
    // In each block, the alphabets follow one another, with or without capital letters.
    let place = match code_point {
        0x1D400..=0x1D6A3 => (code_point - 0x1D400) % 26,
        0x24B6..=0x24E9 => (code_point - 0x24B6) % 26,
        0x1F130..=0x1F149 => code_point - 0x1F130,
        0x1F150..=0x1F169 => code_point - 0x1F150,
        0x1F170..=0x1F189 => code_point - 0x1F170,
        _ => return None,
    };
    char::from_u32(u32::from('a') + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_code_points_are_invisible() {
        // One by one: soft hyphen, grapheme joiner, Arabic letter mark, fillers, Khmer vowels,
        // Mongolian selectors, joiners, directions, operators, selectors, tags, and so on.
        let ignorable = [
            0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180E,
            0x180F, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E,
            0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2065, 0x2066, 0x2067, 0x2068, 0x2069, 0x206A,
            0x206F, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0, 0xFFF8, 0x1BCA0, 0x1BCA3,
            0x1D173, 0x1D17A, 0xE0000, 0xE0001, 0xE0020, 0xE007F, 0xE0100, 0xE01EF, 0xE0FFF,
        ];
        let listed: Vec<u32> = (0..=0x10FFFF_u32)
            .filter_map(char::from_u32)
            .filter(|c| is_default_ignorable(*c))
            .map(u32::from)
            .collect();
        for code_point in ignorable {
            assert!(listed.contains(&code_point), "{code_point:X}");
        }
        // Unicode 17.0.0 has 4174 of them.
        assert_eq!(listed.len(), 4174);
        for control in ['\0', '\u{7}', '\u{8}', '\u{1B}', '\u{7F}', '\u{80}', '\u{9B}', '\u{2800}']
        {
            assert!(is_invisible(control), "{control:?}");
        }
        for seen in ['a', ' ', '\t', '\u{A0}', '\u{3000}', '中', 'é', '\\', '￿', '\u{FFFD}', '한']
        {
            assert!(!is_invisible(seen), "{seen:?}");
        }
    }

    #[test]
    fn look_alikes_are_visible_and_not_ascii() {
        let all = (0..=0x10FFFF_u32).filter_map(char::from_u32).filter(|c| read_as(*c).is_some());
        for c in all {
            assert!(!c.is_ascii() && !is_blank(c), "{c:?}");
        }
    }

    #[test]
    fn texts_that_look_the_same_have_the_same_glyphs() {
        let read = |text: &str| {
            let glyphs: Vec<Glyph> =
                text.chars().flat_map(|c| glyphs(c).as_slice().to_vec()).collect();
            glyphs
        };
        for (one, other) in [
            ("[system]", "［ＳＹＳＴＥＭ］"),
            ("[system]", "【System】"),
            ("strasse", "STRAßE"),
            ("strasse", "STRAẞE"),
            ("οδοσ", "ΟΔΟΣ"),
            ("οδοσ", "οδος"),
            ("intent", "İntent"),
            ("intent", "ıNTENT"),
            ("système", "SYSTÈME"),
            ("system", "𝐒𝕪𝓢𝚃𝖊Ⓜ"),
            ("system", "🅂ⓨ🅢🆃ⓔ𝗆"),
            ("- a -> b:", "— a → b﹕"),
            ("- a -> b", "\u{2212}\u{3000}a\u{A0}\u{27F6}\tb"),
        ] {
            assert_eq!(read(one), read(other), "{one} {other}");
        }
        assert_ne!(read("[system]"), read("(system)"));
    }
}
