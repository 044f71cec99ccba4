//! Text that imitates structure: escaped text contains nothing that looks like structure, and
//! removing the added backslashes restores the original.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::layout::Part;
use promptmason::model::{Assembler, AssemblerOptions};
use promptmason_fuzz::layout::layout;
use promptmason_fuzz::text::text;

fn check(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let Some(layout) = layout(&mut u)? else { return Ok(()) };
    let assembler = Assembler::new(layout, AssemblerOptions::default());
    let item = text(&mut u, 60)?;
    for structure in [assembler.message_structure(), assembler.quote_structure()] {
        let found = structure.findings(Part::Context, 0, &item, true).count();
        let escaped = structure.escape(&item);
        assert_eq!(escaped.is_some(), found > 0);
        let Some(escaped) = escaped else { continue };
        assert_eq!(
            structure.findings(Part::Context, 0, &escaped, false).count(),
            0,
            "{item:?} {escaped:?}"
        );
        let without = |text: &str| text.replace('\\', "");
        assert_eq!(without(&escaped), without(&item));
        assert!(escaped.len() > item.len());
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
