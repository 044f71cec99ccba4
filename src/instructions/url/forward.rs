//! An http URL through an HTTP proxy: the whole URL stands in the request line, and the proxy
//! asks for it. The HTTP client knows tunnels alone, and many proxies open those only for
//! https.

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, NextTimeout, TcpConnector, Transport,
};
use ureq::{Agent, Error};

/// An agent whose every request goes to `proxy`.
pub fn agent(config: Config, proxy: Uri) -> Agent {
    let connector = ().chain(TcpConnector::default()).chain(WholeUrl);
    Agent::with_parts(config, connector, AddressOf { proxy, resolver: DefaultResolver::default() })
}

/// Finds the proxy, whatever is asked for.
#[derive(Debug)]
struct AddressOf {
    proxy: Uri,
    resolver: DefaultResolver,
}

impl Resolver for AddressOf {
    fn resolve(
        &self,
        _: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        self.resolver.resolve(&self.proxy, config, timeout)
    }
}

/// Completes the request line of what goes through it.
#[derive(Debug)]
struct WholeUrl;

impl<In: Transport> Connector<In> for WholeUrl {
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

#[derive(Debug)]
struct WithOrigin<In> {
    inner: In,
    /// What is still to be put in front of the path.
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
        // The request line begins with the method and a space.
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
