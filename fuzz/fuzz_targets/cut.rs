//! Compares cuts with plain versions that walk over all graphemes.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::text::{
    Ends, head, head_utf16, is_shortened, needed_of_each_end, shorten, shorten_counting, trim_js,
};
use promptmason_fuzz::reference::cut as reference;
use promptmason_fuzz::text::text;

fn check(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let max = usize::from(u.arbitrary::<u16>()?) % 3000;
    let (text, other) = (text(&mut u, 200)?, text(&mut u, 30)?);

    assert_eq!(head(&text, max), reference::head(&text, max));
    let beginning = head_utf16(&text, max);
    assert!(text.starts_with(beginning) && beginning.encode_utf16().count() <= max);
    assert_eq!(beginning, reference::head(&text, beginning.len()));

    let short = shorten(&text, max);
    assert_eq!(short, reference::shorten(&text, max));
    if let Some((short, kept)) = shorten_counting(&text, max) {
        assert!(short.len() <= max && kept.sum() <= text.len());
        assert!(short == text || is_shortened(&short, &text));
    }
    if text.len() < 1000 {
        assert_eq!(is_shortened(&other, &text), reference::is_shortened(&other, &text));
    }

    // The ends alone must give the same cut as the whole text.
    let needed = needed_of_each_end(max).min(text.len());
    let (start, end) =
        (text.floor_char_boundary(needed), text.ceil_char_boundary(text.len() - needed));
    if let Some(ends) =
        Ends::new(text[..start].to_owned(), text[end..].to_owned(), text.len(), max, 0)
    {
        let cut = ends.head_tail(max).map(|cut| cut.parts().concat());
        assert_eq!(cut, reference::shorten(trim_js(&text), max));
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
