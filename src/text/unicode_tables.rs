//! Made by `node scripts/unicode/generate.mjs` from Unicode 17.0.0. Do not edit.

/// Default_Ignorable_Code_Point: what Unicode says is not displayed. Variation selectors, tags,
/// joiners, marks of direction and the Hangul fillers are among them.
pub fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// What else has no ink or no width: the blocks of combining marks, combining Cyrillic marks,
/// interlinear annotation, blanks.
pub fn is_without_width(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{2800}' | '\u{FE20}'..='\u{FE2F}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{16FE4}' | '\u{1D159}'
    )
}

/// Dash, without that of ASCII, its full-width form, the wavy ones, and the double hyphen, which
/// reads as an equals sign.
pub fn is_dash(c: char) -> bool {
    matches!(
        c,
        '\u{58A}' | '\u{5BE}' | '\u{1400}' | '\u{1806}' | '\u{2010}'..='\u{2015}' | '\u{207B}'
        | '\u{208B}' | '\u{2212}' | '\u{2E17}' | '\u{2E1A}' | '\u{2E3A}'..='\u{2E3B}' | '\u{2E40}'
        | '\u{2E5D}' | '\u{FE31}'..='\u{FE32}' | '\u{FE58}' | '\u{FE63}' | '\u{10D6E}'
        | '\u{10EAD}'
    )
}

/// Line_Break of the classes BK, CR, LF and NL: a reader sees a new line after it.
pub fn is_mandatory_break(c: char) -> bool {
    matches!(
        c,
        '\u{A}'..='\u{D}' | '\u{85}' | '\u{2028}'..='\u{2029}'
    )
}

/// Latin letters beyond ASCII: those of the block Latin-1, from the capital letters on, and the
/// blocks of letters with diacritics.
pub fn is_latin(c: char) -> bool {
    matches!(
        c,
        '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{24F}'
        | '\u{1E00}'..='\u{1EFF}'
    )
}

/// The blocks of Chinese, Japanese and Korean, with their punctuation, and the planes for
/// ideographs.
pub fn is_cjk(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{A4CF}' | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}'
        | '\u{FF00}'..='\u{FFEF}' | '\u{16FE0}'..='\u{16FFF}' | '\u{1AFF0}'..='\u{1B2FF}'
        | '\u{20000}'..='\u{3FFFF}'
    )
}

/// Script of the value Han: Chinese characters, which Japanese and Korean texts use as well.
pub fn is_han(c: char) -> bool {
    matches!(
        c,
        '\u{2E80}'..='\u{2E99}' | '\u{2E9B}'..='\u{2EF3}' | '\u{2F00}'..='\u{2FD5}' | '\u{3005}'
        | '\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303B}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FA6D}' | '\u{FA70}'..='\u{FAD9}'
        | '\u{16FE2}'..='\u{16FE3}' | '\u{16FF0}'..='\u{16FF6}' | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B81D}' | '\u{2B820}'..='\u{2CEAD}' | '\u{2CEB0}'..='\u{2EBE0}'
        | '\u{2EBF0}'..='\u{2EE5D}' | '\u{2F800}'..='\u{2FA1D}' | '\u{30000}'..='\u{3134A}'
        | '\u{31350}'..='\u{33479}'
    )
}

/// Script of the values Hiragana and Katakana: only Japanese is written with these.
pub fn is_kana(c: char) -> bool {
    matches!(
        c,
        '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}'
        | '\u{30FD}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{32D0}'..='\u{32FE}'
        | '\u{3300}'..='\u{3357}' | '\u{FF66}'..='\u{FF6F}' | '\u{FF71}'..='\u{FF9D}'
        | '\u{1AFF0}'..='\u{1AFF3}' | '\u{1AFF5}'..='\u{1AFFB}' | '\u{1AFFD}'..='\u{1AFFE}'
        | '\u{1B000}'..='\u{1B122}' | '\u{1B132}' | '\u{1B150}'..='\u{1B152}' | '\u{1B155}'
        | '\u{1B164}'..='\u{1B167}' | '\u{1F200}'
    )
}

/// A small letter of Latin-1 or Latin Extended-A without its accent.
pub fn without_accent(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' => 'h',
        'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' => 'i',
        'ĵ' => 'j',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' => 's',
        'ţ' | 'ť' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => c,
    }
}
