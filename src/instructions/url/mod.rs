//! Reads instructions from URLs.
//!
//! 1. Only http and https URLs are read, also after redirects.
//! 2. The time limit includes name resolution, connection, redirects and body. It also holds
//!    where the system cannot interrupt a call, because the caller stops waiting.
//! 3. Reading stops when a body exceeds the size limit.
//! 4. A failure is a reason in words, and never an error.
//!
//! - [`proxies`]: the proxies of the environment;
//! - `forward`: requests through an HTTP proxy without a tunnel;
//! - `redirect`: the target of a redirect;
//! - [`web`]: the requests.

mod forward;
pub mod proxies;
mod redirect;
pub mod web;

pub use proxies::Proxies;
pub use web::Web;

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// The body of the response.
    Body(Vec<u8>),
    /// The request has failed.
    Failed {
        /// Why.
        reason: String,
        /// The size of the body, as far as it is known.
        bytes: u64,
    },
}

/// Waits for the result of a request that was sent.
pub type PendingFetch = Box<dyn FnOnce() -> Fetched>;

/// Reads URLs. Tests use an implementation without a network.
pub trait Fetch {
    /// Sends a request without waiting for its result.
    fn start(&self, url: &str) -> PendingFetch;
}

/// The kind of an entry of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// An http or https URL.
    Web,
    /// A URL with another scheme.
    OtherScheme,
    /// A path or a pattern.
    Path,
}

/// Distinguishes URLs from paths.
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

/// The URL with `***` for user name and password, which must not get into a prompt.
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
    fn urls_are_distinguished_from_paths() {
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
    fn credentials_are_replaced() {
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
