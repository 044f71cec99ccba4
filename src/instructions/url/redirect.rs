//! Resolves the target of a redirect, by RFC 3986, section 5.

/// Resolves `location` relative to `base`, which is an absolute http or https URL.
pub fn target(base: &str, location: &str) -> String {
    let location = location.split('#').next().unwrap_or("");
    if has_scheme(location) {
        return location.to_owned();
    }
    let (scheme, rest) = base.split_once("://").unwrap_or(("http", base));
    if location.starts_with("//") {
        return format!("{scheme}:{location}");
    }
    let rest = rest.split('#').next().unwrap_or("");
    let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path_and_query) = rest.split_at(authority_end);
    let path = path_and_query.split('?').next().unwrap_or("");
    let path = if path.is_empty() { "/" } else { path };
    let origin = format!("{scheme}://{authority}");
    if location.is_empty() {
        return format!("{origin}{path_and_query}");
    }
    if location.starts_with('?') {
        return format!("{origin}{path}{location}");
    }
    let (to, query) = match location.find('?') {
        Some(at) => location.split_at(at),
        None => (location, ""),
    };
    let joined = if to.starts_with('/') {
        to.to_owned()
    } else {
        let directory = path.rfind('/').map_or("/", |at| &path[..=at]);
        format!("{directory}{to}")
    };
    format!("{origin}{}{query}", without_dots(&joined))
}

/// Whether a location starts with a scheme, such as `https:`.
fn has_scheme(location: &str) -> bool {
    let Some((scheme, _)) = location.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Resolves `.` and `..` in a path.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut ends_open = false;
    for part in path.split('/').skip(1) {
        ends_open = matches!(part, "." | "..");
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if ends_open {
        parts.push("");
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_resolved_relative_to_the_base() {
        let base = "https://h:8443/a/b/c?q=1#f";
        for (location, expected) in [
            ("http://x/y", "http://x/y"),
            ("//x/y", "https://x/y"),
            ("/y?z", "https://h:8443/y?z"),
            ("y", "https://h:8443/a/b/y"),
            ("./y", "https://h:8443/a/b/y"),
            ("../y", "https://h:8443/a/y"),
            ("../../../y", "https://h:8443/y"),
            ("..", "https://h:8443/a/"),
            ("?z=/2", "https://h:8443/a/b/c?z=/2"),
            ("#top", "https://h:8443/a/b/c?q=1"),
            ("", "https://h:8443/a/b/c?q=1"),
            ("y?a=../b", "https://h:8443/a/b/y?a=../b"),
            ("file:///etc/passwd", "file:///etc/passwd"),
            ("data:text/plain,x", "data:text/plain,x"),
        ] {
            assert_eq!(target(base, location), expected, "{location}");
        }
        assert_eq!(target("http://h", "y"), "http://h/y");
        assert_eq!(target("http://h?q", "y"), "http://h/y");
    }
}
