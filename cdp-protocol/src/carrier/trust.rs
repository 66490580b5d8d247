//! Whom TLS trusts and who it says this is: the system's authorities, those of the user, and a certificate of the client. Turns
//! what rustls reports into words with a remedy.

use std::io;
use std::sync::Arc;

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{AlertDescription, CertificateError, ClientConfig, Error, RootCertStore};
use rustls_native_certs::load_native_certs;

use crate::error::ConnectError;
use crate::shown::shown;

/// What a user gave. No `Debug`, on purpose.
#[derive(Clone, Default)]
pub(crate) struct Trust {
    /// PEM texts with certificates of authorities.
    pub(crate) authorities: Vec<Vec<u8>>,
    /// PEM texts: the client's certificates, its own first, and its key.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Trust {
    /// How rustls is to connect; `identify` says whether the client's certificate may be shown.
    pub(super) async fn config(&self, identify: bool) -> Result<Arc<ClientConfig>, ConnectError> {
        let trust = Self {
            authorities: self.authorities.clone(),
            identity: self.identity.clone().filter(|_| identify),
        };
        // The system keeps its authorities in files, hundreds of them on some.
        let built = tokio::task::spawn_blocking(move || {
            let system = load_native_certs();
            let problems = system.errors.iter().map(ToString::to_string).collect();
            trust.build(system.certs, problems)
        });
        built.await.unwrap_or_else(|error| Err(refuse("certificates of this system", error.to_string())))
    }

    fn build(
        self,
        system: Vec<CertificateDer<'static>>,
        problems: Vec<String>,
    ) -> Result<Arc<ClientConfig>, ConnectError> {
        let mut roots = RootCertStore::empty();
        for text in &self.authorities {
            for certificate in certificates(text, "CA certificates")? {
                let broken =
                    |error: Error| refuse("CA certificates", format!("one of them is broken: {error}"));
                roots.add(certificate).map_err(broken)?;
            }
        }
        // Systems have some that are too odd for rustls; they are passed over.
        roots.add_parsable_certificates(system);
        if roots.is_empty() {
            let problems = if problems.is_empty() { "there are none".into() } else { problems.join("; ") };
            let remedy = "install the package `ca-certificates` or the like, or name authorities by `Connect::ca_certificates`";
            return Err(refuse("certificates of this system", format!("{problems}; {remedy}")));
        }
        // Not the provider of the whole process, which belongs to the program.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| refuse("TLS of this build", error.to_string()))?
            .with_root_certificates(roots);
        let config = match self.identity {
            None => config.with_no_client_auth(),
            Some((chain, key)) => {
                let chain = certificates(&chain, CLIENT)?;
                config.with_client_auth_cert(chain, private_key(&key)?).map_err(|error| {
                    let problem = match error {
                        Error::InconsistentKeys(_) => {
                            "its key is not that of the first certificate, which must be the client's own"
                                .into()
                        }
                        error => error.to_string(),
                    };
                    refuse(CLIENT, problem)
                })?
            }
        };
        Ok(Arc::new(config))
    }

    /// What an error of a stream says about TLS, if it does, and the remedy.
    pub(super) fn problem(&self, error: &io::Error) -> Option<String> {
        let error = error.get_ref()?.downcast_ref::<Error>()?;
        // A certificate may be for thousands of names.
        let words = shown(&error.to_string());
        Some(match error {
            Error::InvalidCertificate(CertificateError::UnknownIssuer) if self.authorities.is_empty() => {
                "its certificate is not trusted: who signed it is no authority of this system; if it should be, name it by `Connect::ca_certificates`".into()
            }
            Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
                "its certificate is not trusted: who signed it is no authority of this system, nor one of those given by `Connect::ca_certificates`".into()
            }
            Error::InvalidCertificate(CertificateError::NotValidForNameContext { .. } | CertificateError::NotValidForName) => {
                format!("its certificate is for another name: {words}")
            }
            Error::InvalidCertificate(CertificateError::Other(other)) if other.to_string() == CA_AS_SERVER => {
                "its certificate is an authority's own (CA:TRUE), which none of a server may be; the server wants one that is signed by an authority, and that authority is named by `Connect::ca_certificates`".into()
            }
            Error::InvalidCertificate(_) => format!("its certificate is not trusted: {words}"),
            Error::AlertReceived(AlertDescription::CertificateRequired) => {
                "it wants a certificate of the client: give one by `Connect::client_certificate`".into()
            }
            Error::AlertReceived(_) => format!("it refused: {words}"),
            Error::InvalidMessage(_) => {
                format!("it does not answer in TLS: {words}; if it has none, its URL begins with ws:// or http://")
            }
            _ => words,
        })
    }
}

/// The verifier's name for it; rustls has no case of its own.
const CA_AS_SERVER: &str = "CaUsedAsEndEntity";

const CLIENT: &str = "client certificate";

fn refuse(setting: &str, problem: String) -> ConnectError {
    ConnectError::Setting { setting: setting.to_owned(), problem }
}

fn certificates(text: &[u8], setting: &str) -> Result<Vec<CertificateDer<'static>>, ConnectError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    let read = read.map_err(|error| refuse(setting, pem_problem(&error).into()))?;
    if read.is_empty() {
        let problem = "there is no certificate in it; it must be PEM, which begins with `-----BEGIN CERTIFICATE-----`: the text of the file, not its path";
        return Err(refuse(setting, problem.into()));
    }
    Ok(read)
}

fn private_key(text: &[u8]) -> Result<PrivateKeyDer<'static>, ConnectError> {
    PrivateKeyDer::from_pem_slice(text).map_err(|error| {
        let encrypted = memchr::memmem::find(text, b"ENCRYPTED").is_some();
        let problem = match error {
            pem::Error::NoItemsFound if encrypted => {
                "its private key is encrypted; decrypt it first, as by `openssl pkey`"
            }
            pem::Error::NoItemsFound => {
                "there is no private key in what was given as its key; it must be PEM, which begins with `-----BEGIN PRIVATE KEY-----`: the text of the file, not its path"
            }
            other => pem_problem(&other),
        };
        refuse(CLIENT, problem.into())
    })
}

/// Not the error's own words, which repeat lines of what may be a key.
fn pem_problem(error: &pem::Error) -> &'static str {
    match error {
        pem::Error::MissingSectionEnd { .. } => "it is cut: its PEM lacks an `-----END …-----` line",
        pem::Error::Base64Decode(_) => "it is broken: its PEM holds characters that are not base64",
        _ => "it is broken: it can't be read as PEM",
    }
}

/// The name that a server's certificate must be for.
pub(super) fn server_name(host: &str, address: &str) -> Result<ServerName<'static>, ConnectError> {
    let problem = "its host is neither an address nor a name that a certificate can be for";
    let fault = |_| ConnectError::Tls { address: address.to_owned(), problem: problem.into() };
    ServerName::try_from(host.to_owned()).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_without_usable_authorities_wants_one_that_is_named() {
        let broken = vec!["can't open /certs".to_owned()];
        for (problems, words) in
            [(broken.clone(), "can't open /certs; install"), (vec![], "there are none; install")]
        {
            let error = Trust::default().build(vec![], problems).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("Connect::ca_certificates"), "{error}");
        }
        let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert;
        let trust = Trust { authorities: vec![own.pem().into_bytes()], identity: None };
        assert!(trust.build(vec![], broken).is_ok());
        assert!(Trust::default().build(vec![own.der().clone()], vec![]).is_ok());
    }

    #[test]
    fn a_certificate_for_thousands_of_names_is_told_in_few_words() {
        let presented = (0..5000).map(|n| format!("DnsName(\"h{n}.example\")")).collect();
        let expected = ServerName::try_from("localhost").unwrap();
        let error =
            Error::InvalidCertificate(CertificateError::NotValidForNameContext { expected, presented });
        let problem = Trust::default().problem(&io::Error::other(error)).unwrap();
        assert!(problem.contains("localhost") && problem.len() < 500, "{problem}");
    }
}
