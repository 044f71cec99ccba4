//! Chooses the proxy for a request by the environment variables `HTTP_PROXY`, `HTTPS_PROXY`,
//! `ALL_PROXY` and `NO_PROXY`.

use crate::text::trim_js;

/// The values of the variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// The proxy for http URLs.
    pub http: Option<String>,
    /// The proxy for https URLs.
    pub https: Option<String>,
    /// The proxy for URLs whose scheme has none.
    pub all: Option<String>,
    /// The list of hosts without a proxy.
    pub none: Option<String>,
}

impl Proxies {
    /// Reads the variables with `variable`. A name in lower case takes precedence, as in curl.
    pub fn from_variables<E>(
        mut variable: impl FnMut(&str) -> Result<Option<String>, E>,
    ) -> Result<Self, E> {
        let mut either = |name: &str| -> Result<Option<String>, E> {
            let lower = variable(&name.to_lowercase())?.filter(|value| !value.is_empty());
            if lower.is_some() {
                return Ok(lower);
            }
            Ok(variable(name)?.filter(|value| !value.is_empty()))
        };
        Ok(Proxies {
            http: either("HTTP_PROXY")?,
            https: either("HTTPS_PROXY")?,
            all: either("ALL_PROXY")?,
            none: either("NO_PROXY")?,
        })
    }

    /// The proxy for a URL of this scheme, host and port.
    pub fn for_host(&self, scheme: &str, host: &str, port: u16) -> Option<&str> {
        if self.none.as_deref().is_some_and(|list| is_direct(list, host, port)) {
            return None;
        }
        let own = if scheme.eq_ignore_ascii_case("https") { &self.https } else { &self.http };
        own.as_deref().or(self.all.as_deref())
    }
}

/// Whether a `NO_PROXY` list contains a host. An entry is a name, which includes its subdomains,
/// may start with a dot or a star, and may have a port. A star alone is every host.
fn is_direct(list: &str, host: &str, port: u16) -> bool {
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    list.split([',', ' ']).map(trim_js).filter(|entry| !entry.is_empty()).any(|entry| {
        if entry == "*" {
            return true;
        }
        let entry = entry.to_ascii_lowercase();
        let (name, only) = match entry.rsplit_once(':') {
            // The colons of an IPv6 address do not separate a port.
            Some((name, only)) if !name.contains(':') || name.ends_with(']') => (name, Some(only)),
            _ => (entry.as_str(), None),
        };
        if only.is_some_and(|only| only.parse() != Ok(port)) {
            return false;
        }
        let name = name.trim_matches(['[', ']']);
        let name = name.trim_start_matches('*').trim_start_matches('.');
        let below = || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
        !name.is_empty() && (host == name || below())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(variables: &[(&str, &str)]) -> Proxies {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name);
        Proxies::from_variables(|name| Ok::<_, ()>(find(name).map(|(_, value)| value.to_string())))
            .unwrap()
    }

    #[test]
    fn all_proxy_is_for_schemes_without_their_own() {
        let set = proxies(&[("HTTP_PROXY", "http://a"), ("ALL_PROXY", "http://b")]);
        assert_eq!(set.for_host("http", "h", 80), Some("http://a"));
        assert_eq!(set.for_host("https", "h", 443), Some("http://b"));
        let set = proxies(&[("HTTPS_PROXY", "http://a"), ("https_proxy", "http://c")]);
        assert_eq!(set.for_host("http", "h", 80), None);
        assert_eq!(set.for_host("HTTPS", "h", 443), Some("http://c"));
        assert_eq!(proxies(&[("HTTP_PROXY", "")]).for_host("http", "h", 80), None);
    }

    #[test]
    fn listed_hosts_have_no_proxy() {
        let direct = |list: &str, host: &str| {
            let set = proxies(&[("ALL_PROXY", "http://p"), ("NO_PROXY", list)]);
            set.for_host("http", host, 8080).is_none()
        };
        for (list, host) in [
            ("*", "anything"),
            ("a.com, b.com", "b.com"),
            ("a.com b.com", "a.com"),
            ("example.com", "www.EXAMPLE.com"),
            (".example.com", "example.com"),
            ("*.example.com", "a.b.example.com"),
            ("127.0.0.1", "127.0.0.1"),
            ("127.0.0.1:8080", "127.0.0.1"),
            ("::1", "[::1]"),
            ("[::1]:8080", "[::1]"),
        ] {
            assert!(direct(list, host), "{list} {host}");
        }
        for (list, host) in [
            ("example.com", "notexample.com"),
            ("example.com:81", "example.com"),
            ("", "h"),
            (",", "h"),
            ("example.com", "com"),
        ] {
            assert!(!direct(list, host), "{list} {host}");
        }
    }
}
