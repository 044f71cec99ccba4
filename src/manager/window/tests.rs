use super::*;

/// The runs of a window, computed naively.
fn runs_of(messages: &[usize]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for index in messages {
        match runs.last_mut() {
            Some(run) if run.end == *index => run.end += 1,
            _ => runs.push(*index..index + 1),
        }
    }
    runs
}

#[test]
fn runs_match_a_naive_computation() {
    let visibles: [Option<&[u32]>; 4] =
        [None, Some(&[0, 1, 2, 3, 4, 5]), Some(&[0, 2, 3, 5, 6, 7, 9]), Some(&[1, 3, 5, 7, 9, 11])];
    for visible in visibles {
        let visible = visible.map(|messages| Rc::new(messages.to_vec()));
        for (start, end) in (0..7).flat_map(|end| (0..=end).map(move |start| (start, end))) {
            let all =
                Window { visible: visible.clone(), places: start..end.min(6), ..Window::default() };
            if start > end.min(6) {
                continue;
            }
            let without = all.iter().map(|index| all.clone().without(index));
            for window in without.chain([all.clone()]) {
                let messages: Vec<usize> = window.iter().collect();
                assert_eq!(window.len(), messages.len());
                assert_eq!(window.newest(), messages.last().copied());
                for end in 1..=messages.len() {
                    let last_run = runs_of(&messages[..end]).pop();
                    let run = last_run.map_or(0, |run| run.len());
                    assert_eq!(window.run_before(end), run, "{window:?} before {end}");
                }
                for (position, index) in messages.iter().enumerate() {
                    assert_eq!(window.at(position), *index);
                }
                assert!((0..20).all(|index| window.contains(index) == messages.contains(&index)));
            }
        }
    }
}
