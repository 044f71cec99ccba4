//! Requests over the network. Each runs on its own thread.

use super::redirect::target;
use super::{Address, Fetch, Fetched, PendingFetch, Proxies, classify, forward};
use std::io::{self, Read};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use ureq::http::{Response, Uri, header};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body, Error, Proxy, ProxyProtocol};

/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// The network.
#[derive(Debug, Clone)]
pub struct Web {
    /// The time for everything about a URL.
    pub timeout: Duration,
    /// A request with a larger body fails.
    pub max_bytes: usize,
    /// The proxies for requests.
    pub proxies: Proxies,
}

impl Fetch for Web {
    fn start(&self, url: &str) -> PendingFetch {
        let deadline = Instant::now() + self.timeout;
        let (sender, receiver) = mpsc::sync_channel(1);
        let (web, url) = (self.clone(), url.to_owned());
        // Sending fails if the receiver has stopped waiting. The result is not needed then.
        let work = move || drop(sender.send(web.fetch(&url, deadline)));
        let started = thread::Builder::new().name("promptmason-url".to_owned()).spawn(work);
        let timeout = self.timeout;
        Box::new(move || {
            if let Err(error) = started {
                return failed(format!("no thread could be started: {error}"));
            }
            // The request itself stops at the deadline. This timeout is for calls that cannot be
            // interrupted, such as the system's certificate checks.
            match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(fetched) => fetched,
                Err(mpsc::RecvTimeoutError::Timeout) => failed(too_slow(timeout)),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    failed("the request broke off unexpectedly".to_owned())
                }
            }
        })
    }
}

fn failed(reason: String) -> Fetched {
    Fetched::Failed { reason, bytes: 0 }
}

fn too_slow(timeout: Duration) -> String {
    format!("took longer than {} ms", timeout.as_millis())
}

impl Web {
    fn fetch(&self, url: &str, deadline: Instant) -> Fetched {
        let mut url = percent_encoded(url);
        for _ in 0..=MAX_REDIRECTS {
            let response = match self.request(&url, deadline) {
                Ok(response) => response,
                Err(reason) => return failed(reason),
            };
            let status = response.status();
            let location = response.headers().get(header::LOCATION);
            match (status.as_u16(), location) {
                (301 | 302 | 303 | 307 | 308, Some(location)) => {
                    let location = String::from_utf8_lossy(location.as_bytes());
                    url = percent_encoded(&target(&url, &location));
                    if classify(&url) != Address::Web {
                        return failed("redirects to something other than http or https".into());
                    }
                }
                (200..=299, _) => return self.body(response),
                (code, _) => return failed(format!("HTTP {code}")),
            }
        }
        failed(format!("redirects more than {MAX_REDIRECTS} times"))
    }

    /// Sends one request, without following redirects.
    fn request(&self, url: &str, deadline: Instant) -> Result<Response<Body>, String> {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(too_slow(self.timeout));
        }
        let uri: Uri = url.parse().map_err(|_| "is not a valid URL".to_owned())?;
        let agent = self.agent(&uri, remaining)?;
        agent.get(uri).call().map_err(|error| self.reason(&error))
    }

    /// The HTTP client for a URL: with a time limit, and with the proxy if there is one.
    fn agent(&self, uri: &Uri, remaining: Duration) -> Result<Agent, String> {
        let scheme = uri.scheme_str().unwrap_or_default();
        let https = scheme.eq_ignore_ascii_case("https");
        let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
        let proxy = match self.proxies.for_host(scheme, uri.host().unwrap_or_default(), port) {
            None => None,
            Some(proxy) => Some(
                Proxy::new(proxy)
                    .map_err(|_| "the proxy in the environment is not a valid URL".to_owned())?,
            ),
        };
        let config = Agent::config_builder()
            .timeout_global(Some(remaining))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("promptmason/", env!("CARGO_PKG_VERSION")))
            .accept("text/markdown, text/plain, */*;q=0.5")
            .accept_encoding("identity")
            .max_idle_connections(0)
            .tls_config(
                TlsConfig::builder()
                    .provider(TlsProvider::Rustls)
                    .root_certs(RootCerts::PlatformVerifier)
                    .unversioned_rustls_crypto_provider(Arc::new(
                        rustls::crypto::ring::default_provider(),
                    ))
                    .build(),
            );
        Ok(match proxy {
            Some(proxy) if !https && forwards(&proxy) => {
                let address = proxy.uri().clone();
                forward::agent(config.proxy(None).build(), address)
            }
            proxy => config.proxy(proxy).build().new_agent(),
        })
    }

    /// Reads the body of a response, up to the size limit.
    fn body(&self, response: Response<Body>) -> Fetched {
        if let Some(encoding) = response.headers().get(header::CONTENT_ENCODING)
            && !encoding.as_bytes().eq_ignore_ascii_case(b"identity")
        {
            let encoding = String::from_utf8_lossy(encoding.as_bytes());
            return failed(format!("is compressed ({encoding}), which was not asked for"));
        }
        let body = response.into_body();
        if let Some(bytes) = body.content_length()
            && bytes > self.max_bytes as u64
        {
            return Fetched::Failed { reason: self.too_large(), bytes };
        }
        let mut read = Vec::new();
        let limit = self.max_bytes as u64 + 1;
        match body.into_reader().take(limit).read_to_end(&mut read) {
            Ok(_) if read.len() > self.max_bytes => {
                Fetched::Failed { reason: self.too_large(), bytes: read.len() as u64 }
            }
            Ok(_) => Fetched::Body(read),
            Err(error) => {
                let reason = match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
                    Some(error) => self.reason(error),
                    None => self.io_reason(&error),
                };
                Fetched::Failed { reason, bytes: read.len() as u64 }
            }
        }
    }

    fn too_large(&self) -> String {
        format!("is larger than {} bytes", self.max_bytes)
    }

    fn reason(&self, error: &Error) -> String {
        match error {
            Error::Timeout(_) => too_slow(self.timeout),
            Error::HostNotFound => "the host was not found".to_owned(),
            Error::BadUri(_) => "is not a valid URL".to_owned(),
            Error::Io(error) => self.io_reason(error),
            other => other.to_string(),
        }
    }

    fn io_reason(&self, error: &io::Error) -> String {
        match error.kind() {
            io::ErrorKind::TimedOut => too_slow(self.timeout),
            io::ErrorKind::ConnectionRefused => "the connection was refused".to_owned(),
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => "the server closed the connection early".to_owned(),
            _ => error.to_string(),
        }
    }
}

/// Whether absolute URLs are sent to this proxy. For a proxy with a password or TLS, the client
/// opens a tunnel instead.
fn forwards(proxy: &Proxy) -> bool {
    proxy.protocol() == ProxyProtocol::Http && proxy.username().is_none()
}

/// Percent-encodes the characters that a URL must not contain, as browsers do.
fn percent_encoded(url: &str) -> String {
    let mut encoded = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            0..=b' ' | 0x7F.. | b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'|' | b'\\' | b'^' => {
                encoded.push_str(&format!("%{byte:02X}"));
            }
            _ => encoded.push(byte as char),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_a_url_must_not_contain_are_encoded() {
        assert_eq!(
            percent_encoded("http://h/a b/中?q={1}%20"),
            "http://h/a%20b/%E4%B8%AD?q=%7B1%7D%20"
        );
    }
}
