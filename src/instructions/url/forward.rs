//! Requests http URLs through an HTTP proxy. The request line contains the absolute URL, and the
//! proxy forwards the request. The HTTP client itself only supports tunnels, which many proxies
//! allow only for https.

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, NextTimeout, TcpConnector, Transport,
};
use ureq::{Agent, Error};

/// An agent that sends all requests to `proxy`.
pub fn agent(config: Config, proxy: Uri) -> Agent {
    let connector = ().chain(TcpConnector::default()).chain(AbsoluteUrl);
    Agent::with_parts(
        config,
        connector,
        ProxyResolver { proxy, resolver: DefaultResolver::default() },
    )
}

/// Resolves every host to the address of the proxy.
#[derive(Debug)]
struct ProxyResolver {
    proxy: Uri,
    resolver: DefaultResolver,
}

impl Resolver for ProxyResolver {
    fn resolve(
        &self,
        _: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        self.resolver.resolve(&self.proxy, config, timeout)
    }
}

/// Makes the URL in the request line of every connection absolute.
#[derive(Debug)]
struct AbsoluteUrl;

impl<In: Transport> Connector<In> for AbsoluteUrl {
    type Out = WithOrigin<In>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(inner) = chained else { return Ok(None) };
        let authority = details.uri.authority().map_or("", |authority| authority.as_str());
        let host = authority.rsplit('@').next().unwrap_or(authority);
        Ok(Some(WithOrigin { inner, origin: Some(format!("http://{host}")) }))
    }
}

/// A connection that inserts the origin into the request line.
#[derive(Debug)]
struct WithOrigin<In> {
    inner: In,
    /// The scheme and host to insert before the path; `None` once it was inserted.
    origin: Option<String>,
}

impl<In: Transport> Transport for WithOrigin<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let Some(origin) = self.origin.take() else {
            return self.inner.transmit_output(amount, timeout);
        };
        let output = self.inner.buffers().output();
        // The request line starts with the method and a space.
        let path = output[..amount].iter().position(|byte| *byte == b' ').map_or(0, |at| at + 1);
        let total = amount + origin.len();
        if total > output.len() {
            return Err(Error::Other("the request does not fit into its buffer".into()));
        }
        output.copy_within(path..amount, path + origin.len());
        output[path..path + origin.len()].copy_from_slice(origin.as_bytes());
        self.inner.transmit_output(total, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }
}
