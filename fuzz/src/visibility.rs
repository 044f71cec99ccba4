//! A plain version of the rules for who may see which message.

use promptmason::text::trim_js;

const SEPARATORS: [char; 3] = [',', '，', '、'];

pub fn plain(name: &str) -> String {
    trim_js(name).to_lowercase()
}

pub fn is_list(name: &str) -> bool {
    name.contains(SEPARATORS)
}

/// The names in a list. The longest prefix that is a known name is kept whole.
pub fn names_in(list: &str, is_name: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut ends: Vec<usize> = list.match_indices(SEPARATORS).map(|(at, _)| at).collect();
    let first = ends.first().copied().unwrap_or(list.len());
    ends.push(list.len());
    let whole = ends.into_iter().rev().find(|end| *end > first && is_name(&plain(&list[..*end])));
    let end = whole.unwrap_or(first);
    let mut rest = list[end..].chars();
    let mut names = vec![plain(&list[..end])];
    if rest.next().is_some() {
        names.extend(names_in(rest.as_str(), is_name));
    }
    names
}

/// Whether somebody may see a caller-supplied message. `senders` are known to be names.
pub fn may_see(recipient: &str, from: &str, to: &str, senders: &[String]) -> bool {
    let me = plain(recipient);
    let is_me = |name: &str| !name.is_empty() && name == me;
    let is_name = |name: &str| is_me(name) || senders.iter().any(|sender| plain(sender) == name);
    trim_js(to).is_empty()
        || is_me(&plain(from))
        || names_in(to, &is_name).iter().any(|name| name == "all" || is_me(name))
}
