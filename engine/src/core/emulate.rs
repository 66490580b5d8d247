//! Says what a context's pages are made to believe in commands of the protocol.

use cdp_protocol::domains::emulation::{
    ScreenOrientation, ScreenOrientationType, SetDeviceMetricsOverride, SetEmulatedMedia,
    SetFocusEmulationEnabled, SetGeolocationOverride, SetLocaleOverride, SetScriptExecutionDisabled,
    SetTimezoneOverride, SetTouchEmulationEnabled, SetUserAgentOverride,
};
use cdp_protocol::domains::fetch;
use cdp_protocol::domains::network::{self, Headers, SetExtraHttpHeaders};
use cdp_protocol::domains::page::SetBypassCsp;
use cdp_protocol::domains::security::SetIgnoreCertificateErrors;
use cdp_protocol::{Call, Session};

use crate::emulation::{Emulation, Geolocation, Media, Screen};

/// What a session drives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Page,
    /// A frame in a process of its own.
    Frame,
    Worker,
}

/// Tells a new session of everything that is not as the browser has it.
pub(crate) fn begin(
    session: &Session,
    part: Part,
    emulation: &Emulation,
    screen: &Screen,
    media: &Media,
) -> Vec<Call<()>> {
    let mut calls = identity(session, emulation);
    if part == Part::Worker {
        return calls;
    }
    if part == Part::Page {
        if emulation.focus {
            calls.push(session.call(&SetFocusEmulationEnabled::new(true)));
        }
        calls.extend(self::screen(session, screen));
        calls.extend(emulation.geolocation.as_ref().map(|place| geolocation(session, Some(place))));
    }
    if screen.touch {
        calls.push(touch(session, true));
    }
    if *media != Media::default() {
        calls.push(self::media(session, media));
    }
    if emulation.offline {
        calls.push(offline(session, true));
    }
    if !emulation.headers.is_empty() {
        calls.push(headers(session, &emulation.headers));
    }
    if !emulation.credentials.is_empty() {
        // All requests: one that is not paused fails when its server asks for a password.
        calls.push(session.call(&fetch::Enable::default().handle_auth_requests(true)));
    }
    if emulation.ignore_tls_errors {
        calls.push(session.call(&SetIgnoreCertificateErrors::new(true)));
    }
    if emulation.bypass_csp {
        calls.push(session.call(&SetBypassCsp::new(true)));
    }
    if !emulation.java_script {
        calls.push(session.call(&SetScriptExecutionDisabled::new(true)));
    }
    calls
}

/// What workers are told too.
fn identity(session: &Session, emulation: &Emulation) -> Vec<Call<()>> {
    let mut calls = Vec::new();
    if let Some(agent) = &emulation.user_agent {
        let mut command = SetUserAgentOverride::new(&agent.text);
        command.accept_language.clone_from(&emulation.locale);
        command.user_agent_metadata = agent.hints.as_ref().map(|hints| hints.metadata().into());
        calls.push(session.call(&command));
    }
    calls.extend(emulation.locale.as_ref().map(|it| session.call(&SetLocaleOverride::default().locale(it))));
    calls.extend(emulation.time_zone.as_ref().map(|it| session.call(&SetTimezoneOverride::new(it))));
    calls
}

pub(crate) fn screen(session: &Session, screen: &Screen) -> Option<Call<()>> {
    let (width, height) = screen.size?;
    let portrait = screen.mobile && height >= width;
    let orientation = if portrait {
        ScreenOrientation::new(ScreenOrientationType::PortraitPrimary, 0)
    } else {
        ScreenOrientation::new(ScreenOrientationType::LandscapePrimary, if screen.mobile { 90 } else { 0 })
    };
    let (width, height) = (i64::from(width), i64::from(height));
    let mut command = SetDeviceMetricsOverride::new(width, height, screen.scale, screen.mobile);
    if screen.mobile {
        command = command.screen_width(width).screen_height(height).screen_orientation(orientation);
    }
    Some(session.call(&command))
}

pub(crate) fn touch(session: &Session, enabled: bool) -> Call<()> {
    session.call(&SetTouchEmulationEnabled::new(enabled).max_touch_points(5))
}

pub(crate) fn media(session: &Session, media: &Media) -> Call<()> {
    session.call(&SetEmulatedMedia::default().media(media.kind()).features(media.features()))
}

pub(crate) fn geolocation(session: &Session, place: Option<&Geolocation>) -> Call<()> {
    let command = SetGeolocationOverride::default();
    let command = match place {
        Some(place) => command.latitude(place.latitude).longitude(place.longitude).accuracy(place.accuracy),
        // Chromium answers then that the place is not available.
        None => command,
    };
    session.call(&command)
}

#[expect(deprecated, reason = "what takes its place are two commands that do no more")]
pub(crate) fn offline(session: &Session, offline: bool) -> Call<()> {
    session.call(&network::EmulateNetworkConditions::new(offline, 0.0, -1.0, -1.0))
}

pub(crate) fn headers(session: &Session, headers: &[(String, String)]) -> Call<()> {
    let object = headers.iter().map(|(name, value)| (name.clone(), value.clone().into()));
    let object: serde_json::Map<String, serde_json::Value> = object.collect();
    let object = serde_json::value::to_raw_value(&object).expect("text is JSON");
    session.call(&SetExtraHttpHeaders::new(Headers::from(object)))
}
