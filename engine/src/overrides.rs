//! What of a context's emulation can be changed while its pages are open.

use cdp_protocol::domains::browser::{PermissionSetting, ResetPermissions, SetPermission};
use cdp_protocol::{Call, CallError, Session};

use crate::context::Context;
use crate::core::context::Shared;
use crate::core::emulate;
use crate::core::page::{PageCore, PageState};
use crate::emulation::{self, Geolocation, Media, Permission};
use crate::error::{Error, ErrorKind, Result};
use crate::operation::Operation;
use crate::page::Page;
use crate::progress::Progress;

impl Page {
    /// Gives the page another size in CSS pixels, and waits until the browser has taken it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] for a side of no pixel, or of more than ten million.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not undo it.
    pub fn set_viewport(&self, width: u32, height: u32) -> Operation<()> {
        let page = self.clone();
        Operation::new(format!("set_viewport({width}, {height})"), move |progress, _| async move {
            let core = page.core();
            let screen = {
                let mut screen = core.state().screen.clone();
                screen.size = Some((width, height));
                screen.check()?;
                screen
            };
            let told = core.change(
                |state| state.screen.clone_from(&screen),
                |session, is_page| emulate::screen(session, &screen).filter(|_| is_page),
            );
            all(told, &progress).await
        })
    }

    /// Changes what style sheets and `matchMedia` of the page are told; what is not set in `media` stays.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not undo it.
    pub fn emulate_media(&self, media: Media) -> Operation<()> {
        let page = self.clone();
        Operation::new("emulate_media".into(), move |progress, _| async move {
            let core = page.core();
            let mut merged = core.state().media;
            merged.merge(media);
            let told = core
                .change(|state| state.media = merged, |session, _| Some(emulate::media(session, &merged)));
            all(told, &progress).await
        })
    }
}

impl Context {
    /// Replaces the headers that go with every request of its pages, those to come too. None takes them away.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] for what is no header; then none is changed.
    pub fn set_extra_headers<N, V>(&self, headers: impl IntoIterator<Item = (N, V)>) -> Operation<()>
    where
        N: Into<String>,
        V: Into<String>,
    {
        let headers: Vec<(String, String)> =
            headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self.change("set_extra_headers", move |shared| {
            headers.iter().try_for_each(|(name, value)| emulation::header(name, value))?;
            shared.emulation.headers.clone_from(&headers);
            Ok(move |session: &Session, _| Some(emulate::headers(session, &headers)))
        })
    }

    /// Takes the network away from its pages, those to come too, or gives it back.
    pub fn set_offline(&self, offline: bool) -> Operation<()> {
        self.change("set_offline", move |shared| {
            shared.emulation.offline = offline;
            Ok(move |session: &Session, _| Some(emulate::offline(session, offline)))
        })
    }

    /// Moves its pages, those to come too, to another place; `None` makes the place one that can't be found.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] for a place that is not on the earth.
    pub fn set_geolocation(&self, place: impl Into<Option<Geolocation>>) -> Operation<()> {
        let place = place.into();
        self.change("set_geolocation", move |shared| {
            place.as_ref().map_or(Ok(()), Geolocation::check)?;
            shared.emulation.geolocation = place;
            Ok(move |session: &Session, is_page: bool| {
                is_page.then(|| emulate::geolocation(session, place.as_ref()))
            })
        })
    }

    /// Grants permissions to pages of every origin, besides those granted before.
    pub fn grant_permissions(&self, permissions: impl IntoIterator<Item = Permission>) -> Operation<()> {
        self.grant(permissions.into_iter().collect(), None)
    }

    /// Grants permissions to pages of one origin, such as `https://example.org`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] for what is no origin.
    pub fn grant_permissions_to(
        &self,
        origin: impl Into<String>,
        permissions: impl IntoIterator<Item = Permission>,
    ) -> Operation<()> {
        self.grant(permissions.into_iter().collect(), Some(origin.into()))
    }

    fn grant(&self, permissions: Vec<Permission>, origin: Option<String>) -> Operation<()> {
        let context = self.clone();
        Operation::new("grant_permissions".into(), move |progress, _| async move {
            progress.acted();
            let grant = |permission: Permission| {
                let mut set = SetPermission::new(permission.descriptor(), PermissionSetting::Granted)
                    .browser_context_id(context.id().clone());
                set.origin.clone_from(&origin);
                context.core().root.call(&set)
            };
            for granted in permissions.into_iter().map(grant).collect::<Vec<_>>() {
                match progress.wait(granted).await? {
                    Err(CallError::Refused { message, .. }) => {
                        return Err(Error::new(ErrorKind::Invalid, message));
                    }
                    answer => answer?,
                }
            }
            Ok(())
        })
    }

    /// Takes all permissions away that were granted.
    pub fn clear_permissions(&self) -> Operation<()> {
        let context = self.clone();
        Operation::new("clear_permissions".into(), move |progress, _| async move {
            let reset = ResetPermissions::default().browser_context_id(context.id().clone());
            progress.acted();
            progress.run(context.core().root.call(&reset)).await
        })
    }

    /// Changes what pages are told, and tells those that are there, each once.
    fn change<T>(
        &self,
        what: &str,
        change: impl FnOnce(&mut Shared) -> Result<T> + Send + 'static,
    ) -> Operation<()>
    where
        T: Fn(&Session, bool) -> Option<Call<()>> + Send,
    {
        let context = self.clone();
        Operation::new(what.into(), move |progress, _| async move {
            let told = {
                // Held until all are told; see there.
                let mut shared = context.shared();
                let tell = change(&mut shared)?;
                let pages = context.core().pages_of(context.id()).into_iter();
                pages.flat_map(|page| page.change(|_| {}, &tell)).collect::<Vec<_>>()
            };
            all(told, &progress).await
        })
    }
}

impl PageCore {
    /// Changes what the page's sessions are told, and tells those that are there, each once. `tell` learns whether the
    /// session is the page's own.
    fn change(
        &self,
        change: impl FnOnce(&mut PageState),
        tell: impl Fn(&Session, bool) -> Option<Call<()>>,
    ) -> Vec<Call<()>> {
        let mut state = self.state();
        change(&mut state);
        let sessions = state.scripts.sessions();
        sessions.filter_map(|id| tell(&self.session_of(id), self.session.id() == Some(id))).collect()
    }
}

async fn all(told: Vec<Call<()>>, progress: &Progress) -> Result<()> {
    progress.acted();
    for call in told {
        match progress.wait(call).await? {
            // It has no page to change any more.
            Err(CallError::SessionEnded { .. }) => {}
            answer => answer?,
        }
    }
    Ok(())
}
