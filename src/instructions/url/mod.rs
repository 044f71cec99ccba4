//! Instructions on the web.
//!
//! 1. http and https only, after redirects too.
//! 2. The time limit is for everything: the name, the connection, redirects, the body. It holds
//!    even where the system gives no way to interrupt, because nobody waits any longer.
//! 3. A body beyond the size limit is not read to its end.
//! 4. Every failure is a reason in words, and never more than that.
//!
//! - [`proxies`]: which proxy the environment asks for;
//! - `forward`: speaking to a proxy without a tunnel;
//! - `redirect`: where a redirect leads;
//! - [`web`]: the requests.

mod forward;
pub mod proxies;
mod redirect;
pub mod web;

pub use proxies::Proxies;
pub use web::Web;

/// What a request came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// The body.
    Body(Vec<u8>),
    /// No body.
    Failed {
        /// Why.
        reason: String,
        /// The size of the body as far as it is known.
        bytes: u64,
    },
}

/// Waits for the answer of a request that is on its way.
pub type PendingFetch = Box<dyn FnOnce() -> Fetched>;

/// Something that can read URLs.
pub trait Fetch {
    /// Sends the request, and does not wait for the answer.
    fn start(&self, url: &str) -> PendingFetch;
}

/// What an entry of the configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// An http or https URL.
    Web,
    /// A URL of another kind.
    OtherScheme,
    /// No URL.
    Path,
}

/// Tells URLs from paths.
pub fn classify(entry: &str) -> Address {
    let Some((scheme, _)) = entry.split_once("://") else { return Address::Path };
    if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
        return Address::Web;
    }
    let mut chars = scheme.chars();
    let named = chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if named { Address::OtherScheme } else { Address::Path }
}

/// The URL without user name and password, which have no place in a prompt.
pub fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..authority_end].rfind('@') {
        Some(at) => format!("{scheme}://***{}", &rest[at..]),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_paths() {
        for web in ["http://h", "https://h/x", "HTTPS://h"] {
            assert_eq!(classify(web), Address::Web, "{web}");
        }
        for other in ["ftp://h", "file:///etc/passwd", "git+ssh://h"] {
            assert_eq!(classify(other), Address::OtherScheme, "{other}");
        }
        for path in ["a.md", "/a/b", "C:\\a", "docs/http://x", "http:/x", "://x"] {
            assert_eq!(classify(path), Address::Path, "{path}");
        }
    }

    #[test]
    fn credentials_are_not_shown() {
        for (url, shown) in [
            ("https://user:secret@h/a@b", "https://***@h/a@b"),
            ("https://user:p@ss@h", "https://***@h"),
            ("https://h/a@b", "https://h/a@b"),
            ("https://h?q=a@b", "https://h?q=a@b"),
            ("a@b", "a@b"),
        ] {
            assert_eq!(without_credentials(url), shown);
        }
    }
}
