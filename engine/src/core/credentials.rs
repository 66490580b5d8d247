//! Answers servers and proxies that ask for a password.

use cdp_protocol::domains::fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, AuthChallengeSource, AuthRequired, ContinueRequest,
    ContinueWithAuth, RequestId,
};
use cdp_protocol::domains::target::SessionId;

use super::page::PageCore;
use crate::emulation::{Asker, Credentials};

/// A request waits since its server may ask for a password: it goes on.
pub(crate) fn paused(page: &PageCore, session: &SessionId, request: RequestId) {
    // Whoever else has the session pause requests lets them go on too.
    if !page.context.shared().emulation.credentials.is_empty() {
        drop(page.session_of(session).call(&ContinueRequest::new(request)));
    }
}

/// A request waits for a password. Runs on the reader; nothing but this answer lets the request go on.
pub(crate) fn asked(page: &PageCore, session: &SessionId, event: &AuthRequired) {
    let challenge = &event.auth_challenge;
    let asker = match challenge.source {
        Some(AuthChallengeSource::Proxy) => Asker::Proxy,
        _ => Asker::Server(challenge.origin.clone()),
    };
    let known = page.context.shared().emulation.credentials.iter().find(|it| it.of == asker).cloned();
    let is_first = || page.state().authenticate(event.request_id.to_string(), asker);
    let answer = match known {
        Some(Credentials { user_name, password, .. }) if is_first() => {
            AuthChallengeResponse::new(AuthChallengeResponseResponse::ProvideCredentials)
                .username(user_name)
                .password(password)
        }
        // Asked again, or by somebody else: the page gets the answer as it came.
        _ => AuthChallengeResponse::new(AuthChallengeResponseResponse::CancelAuth),
    };
    drop(page.session_of(session).call(&ContinueWithAuth::new(event.request_id.clone(), answer)));
}
