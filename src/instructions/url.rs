//! URLs: how they are told from paths, which part of them is shown, and the result of a request.
//! Node makes the requests, see `lib/instructions/fetch-url.ts`.

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// The body of the response.
    Body(Vec<u8>),
    /// The request was not made, for this reason.
    Refused(String),
    /// The request failed.
    Failed {
        /// Why.
        reason: String,
        /// The size of the body, as far as it is known.
        bytes: u64,
    },
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

/// The scheme, host and path of a URL. User names, passwords and query strings are often secret,
/// and must not get into a prompt.
///
/// Where the host has no valid port, a password with a `/`, `?` or `#` in it may be what looks
/// like the host, so only the scheme is shown.
pub fn shown_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority_end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(authority_end);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    if !has_valid_port(host) {
        return format!("{scheme}://***");
    }
    let path = &after[..after.find(['?', '#']).unwrap_or(after.len())];
    format!("{scheme}://{host}{path}")
}

/// Whether a host has no port, or a valid one.
fn has_valid_port(host: &str) -> bool {
    let after_address = host.rsplit(']').next().unwrap_or(host);
    match after_address.split_once(':') {
        Some((_, port)) => port.is_empty() || port.parse::<u16>().is_ok(),
        None => true,
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
    fn only_scheme_host_and_path_are_shown() {
        for (url, shown) in [
            ("https://h", "https://h"),
            ("https://h:8443/a@b", "https://h:8443/a@b"),
            ("https://[::1]:80/a", "https://[::1]:80/a"),
            ("https://[::1]/a", "https://[::1]/a"),
            ("https://user:secret@h/a@b", "https://h/a@b"),
            ("https://user:p@ss@h", "https://h"),
            ("https://token@h/a", "https://h/a"),
            ("https://h/a?token=1", "https://h/a"),
            ("https://h?q=a@b", "https://h"),
            ("https://h/a#secret", "https://h/a"),
            ("https://user:12@h/?token", "https://h/"),
            ("https://user:secret@h\\x?token", "https://h\\x"),
            ("a@b", "a@b"),
        ] {
            assert_eq!(shown_url(url), shown, "{url}");
        }
    }

    #[test]
    fn a_password_that_looks_like_a_host_is_not_shown() {
        for url in [
            "https://user:se/cret@h/",
            "https://user:se?cret@h",
            "https://user:se#cret@h",
            "https://user:99999/x@h",
        ] {
            assert_eq!(shown_url(url), "https://***", "{url}");
        }
    }
}
