//! Who may see which message, once more, as plainly as possible.

use promptmason::text::trim_js;

const SEPARATORS: [char; 3] = [',', '，', '、'];

pub fn plain(name: &str) -> String {
    trim_js(name).to_lowercase()
}

pub fn is_list(name: &str) -> bool {
    name.contains(SEPARATORS)
}

/// The names of a list. The longest beginning that is a name stays whole.
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

/// Whether somebody may see a message that a caller passes. `senders` are known to be names.
pub fn may_see(recipient: &str, from: &str, to: &str, senders: &[String]) -> bool {
    let me = plain(recipient);
    let is_me = |name: &str| !name.is_empty() && name == me;
    let is_name = |name: &str| is_me(name) || senders.iter().any(|sender| plain(sender) == name);
    trim_js(to).is_empty()
        || is_me(&plain(from))
        || names_in(to, &is_name).iter().any(|name| name == "all" || is_me(name))
}

/// Somebody in a kept conversation: the id and the other names.
#[derive(Clone, Debug)]
pub struct Member(pub String, pub Vec<String>);

/// Whom a message of a kept conversation is for.
#[derive(Clone, Debug)]
pub enum To {
    Text(String),
    /// The names of one member, the id first.
    Member(Vec<String>),
}

/// The members of a kept conversation: everybody who has said something in it.
pub struct Members<'m>(pub &'m [Member]);

impl Members<'_> {
    fn is_id(&self, name: &str) -> bool {
        self.0.iter().any(|Member(id, _)| plain(id) == name)
    }

    /// The ids of all who have a name.
    fn having(&self, name: &str) -> Vec<String> {
        let has = |Member(id, names): &&Member| {
            !name.is_empty()
                && (plain(id) == name || names.iter().any(|other| plain(other) == name))
        };
        let mut ids: Vec<String> =
            self.0.iter().filter(has).map(|Member(id, _)| plain(id)).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// The id of the one who is meant, or the name if nobody is.
    fn meaning(&self, name: &str) -> String {
        match &self.having(name)[..] {
            [id] if !self.is_id(name) => id.clone(),
            _ => name.to_owned(),
        }
    }

    /// Whether two names mean the same member.
    pub fn is_same(&self, one: &str, other: &str) -> bool {
        self.meaning(&plain(one)) == self.meaning(&plain(other))
    }

    /// Whether somebody who is asked for by one name may see a message.
    pub fn may_see(&self, recipient: &str, from: &str, to: &[To]) -> bool {
        let me = plain(recipient);
        let my_id = self.meaning(&me);
        let is_me = |name: &str| {
            !name.is_empty() && self.meaning(name) == my_id && (self.is_id(&my_id) || name == me)
        };
        let is_addressed = |to: &To| match to {
            To::Text(text) => {
                let is_name = |name: &str| name == me || !self.having(name).is_empty();
                names_in(text, &is_name).iter().any(|name| name == "all" || is_me(name))
            }
            To::Member(names) => {
                let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
                let best = names
                    .iter()
                    .find(|name| self.is_id(name))
                    .or(names.first())
                    .cloned()
                    .unwrap_or_default();
                let is_known = self.is_id(&best) || self.having(&best).len() == 1;
                let is_mine_alone = |name: &String| self.having(name).is_empty() && is_me(name);
                names.iter().all(|name| name == "all")
                    || is_me(&best)
                    || !is_known && names.iter().any(is_mine_alone)
            }
        };
        let is_blank = |to: &To| matches!(to, To::Text(text) if trim_js(text).is_empty());
        to.iter().all(is_blank) || to.iter().any(is_addressed) || is_me(&plain(from))
    }
}
