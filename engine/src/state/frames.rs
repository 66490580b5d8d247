//! Which frames a page has, which session drives each, which document it shows, and how far that has loaded.
//!
//! Fed in wire order with what the browser reported. A report about a frame from a session that does not drive
//! it any more is stale and changes nothing.

use std::collections::{HashMap, VecDeque};

use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::{FrameId, LifecycleEventName as Stage};
use cdp_protocol::domains::runtime::ExecutionContextId;
use cdp_protocol::domains::target::SessionId;

pub(crate) use super::frame::{Context, End, Frame, Life, Lifecycle, Navigation, Pending, World};

/// Commits and failures that are kept for those who wait for one.
const NAVIGATIONS: usize = 64;

/// The frames of one page.
#[derive(Debug)]
pub(crate) struct FrameTree {
    frames: HashMap<FrameId, Frame>,
    main: FrameId,
    navigations: VecDeque<Navigation>,
    sequence: u64,
}

impl FrameTree {
    /// A page that was just attached, with its main frame only.
    pub(crate) fn new(main: FrameId, session: SessionId, url: String) -> Self {
        let mut tree =
            Self { frames: HashMap::new(), main: main.clone(), navigations: VecDeque::new(), sequence: 0 };
        tree.insert(main, None, session);
        tree.main_frame_mut().url = url;
        tree
    }

    pub(crate) fn main(&self) -> &FrameId {
        &self.main
    }

    pub(crate) fn main_frame(&self) -> &Frame {
        &self.frames[&self.main]
    }

    fn main_frame_mut(&mut self) -> &mut Frame {
        self.frames.get_mut(&self.main).expect("the main frame is never removed")
    }

    pub(crate) fn get(&self, id: &FrameId) -> Option<&Frame> {
        self.frames.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &FrameId) -> Option<&mut Frame> {
        self.frames.get_mut(id)
    }

    /// All frames, the main frame first, then in no order.
    pub(crate) fn ids(&self) -> Vec<FrameId> {
        let others = self.frames.keys().filter(|id| **id != self.main).cloned();
        std::iter::once(self.main.clone()).chain(others).collect()
    }

    /// The frame in whose isolated world a session's event was made.
    pub(crate) fn frame_of_utility(
        &self,
        session: &SessionId,
        number: ExecutionContextId,
    ) -> Option<FrameId> {
        let is_it = |frame: &Frame| frame.utility_world.as_ref().is_some_and(|it| it.number == number);
        let mut own = self.frames.iter().filter(|(_, frame)| frame.session == *session);
        own.find(|(_, frame)| is_it(frame)).map(|(id, _)| id.clone())
    }

    /// The frame whose document a session's event is about, and the context of its scripts.
    pub(crate) fn frame_of(
        &self,
        session: &SessionId,
        number: ExecutionContextId,
    ) -> Option<(FrameId, String)> {
        let own = self.frames.iter().filter(|(_, frame)| frame.session == *session);
        let mut contexts = own.filter_map(|(id, frame)| Some((id, frame.main_world.as_ref()?)));
        let (id, context) = contexts.find(|(_, context)| context.number == number)?;
        Some((id.clone(), context.unique.clone()))
    }

    /// The frames around a frame, from the inside out.
    pub(crate) fn ancestors(&self, id: &FrameId) -> Vec<FrameId> {
        let parent = |id: &FrameId| self.frames.get(id)?.parent.clone();
        std::iter::successors(parent(id), parent).collect()
    }

    /// Whether another document has taken the main frame since navigation number `before`.
    pub(crate) fn has_left(&self, before: u64) -> bool {
        self.navigations_since(&self.main, before).any(|it| it.end != End::WithinDocument)
    }

    /// The number of the last navigation that ended.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The navigations of a frame that ended after number `after`, oldest first.
    pub(crate) fn navigations_since<'a>(
        &'a self,
        frame: &'a FrameId,
        after: u64,
    ) -> impl Iterator<Item = &'a Navigation> {
        self.navigations.iter().filter(move |entry| entry.sequence > after && entry.frame == *frame)
    }

    /// `Page.getFrameTree` told of a frame: fills in what no event has told yet.
    pub(crate) fn known(
        &mut self,
        id: FrameId,
        parent: Option<FrameId>,
        session: &SessionId,
        url: &str,
        loader: &LoaderId,
    ) {
        if parent.is_none() && id != self.main && !self.frames.contains_key(&id) {
            // Activated prerenders have a main frame whose id is not the target's.
            if let Some(frame) = self.frames.remove(&self.main) {
                self.frames.insert(id.clone(), frame);
                self.main = id.clone();
            }
        }
        if !self.frames.contains_key(&id) {
            self.insert(id.clone(), parent, session.clone());
        }
        if let Some(frame) = self.current(&id, session)
            && frame.loader.is_none()
        {
            frame.loader = Some(loader.clone());
            frame.url = url.to_owned();
        }
    }

    /// A session reports a frame of its own: a new one, or one that came back from another process.
    pub(crate) fn attached(&mut self, session: &SessionId, id: FrameId, parent: FrameId) {
        match self.frames.get(&id) {
            Some(frame) if frame.session != *session || frame.life == Life::Between => {
                self.moved(session.clone(), &id);
            }
            Some(_) => {}
            None if self.frames.contains_key(&parent) => self.insert(id, Some(parent), session.clone()),
            None => {}
        }
    }

    /// The browser began to navigate a frame to a new document.
    pub(crate) fn started(
        &mut self,
        session: &SessionId,
        id: &FrameId,
        loader: Option<LoaderId>,
        url: String,
    ) {
        if let Some(frame) = self.current(id, session) {
            frame.pending = Some(Pending { loader, url });
        }
    }

    /// A new document took a frame: the one asked for ([`End::Committed`]) or the browser's error page.
    pub(crate) fn committed(
        &mut self,
        session: &SessionId,
        id: &FrameId,
        loader: LoaderId,
        url: String,
        end: End,
    ) {
        self.arrived(id, session);
        if self.current(id, session).is_none() {
            return;
        }
        for child in self.children(id) {
            self.remove(&child);
        }
        let Some(frame) = self.frames.get_mut(id) else { return };
        frame.url.clone_from(&url);
        frame.lifecycle = Lifecycle::default();
        frame.loader = Some(loader.clone());
        let of = |pending: &mut Pending| pending.loader.as_ref().is_none_or(|it| *it == loader);
        frame.pending.take_if(of);
        self.ended(id, Some(loader), url, end);
    }

    pub(crate) fn within_document(&mut self, session: &SessionId, id: &FrameId, url: String) {
        let Some(frame) = self.current(id, session) else { return };
        frame.url.clone_from(&url);
        // A navigation within the document is announced without a loader and never commits.
        if frame.pending.as_ref().is_some_and(|pending| pending.url == url) {
            frame.pending = None;
        }
        let loader = frame.loader.clone();
        self.ended(id, loader, url, End::WithinDocument);
    }

    /// The request of a document failed: if a navigation waits for it, that has failed.
    pub(crate) fn failed(&mut self, loader: &LoaderId, error: &str) {
        let waits =
            |frame: &Frame| frame.pending.as_ref().is_some_and(|it| it.loader.as_ref() == Some(loader));
        let Some(id) = self.frames.iter().find(|(_, frame)| waits(frame)).map(|(id, _)| id.clone()) else {
            return;
        };
        if let Some(pending) = self.frames.get_mut(&id).and_then(|frame| frame.pending.take()) {
            self.ended(&id, pending.loader, pending.url, End::Failed(error.to_owned()));
        }
    }

    /// The page asked to stay, and stays: the navigation of its main frame that waited for that is over.
    pub(crate) fn stays(&mut self) {
        let main = self.main.clone();
        let frame = self.main_frame_mut();
        let Pending { loader, url } =
            frame.pending.take().unwrap_or_else(|| Pending { loader: None, url: frame.url.clone() });
        self.ended(&main, loader, url, End::Refused);
    }

    /// The browser loads nothing more for a frame. If its document has not loaded by now, somebody stopped that.
    pub(crate) fn stopped(&mut self, session: &SessionId, id: &FrameId) {
        if let Some(frame) = self.current(id, session) {
            frame.lifecycle.stopped = !frame.lifecycle.load;
        }
    }

    /// The document that took a frame was kept by the browser, and had loaded before.
    pub(crate) fn restored(&mut self, session: &SessionId, id: &FrameId) {
        if let Some(frame) = self.current(id, session) {
            frame.lifecycle = Lifecycle { dom_content_loaded: true, load: true, stopped: false };
        }
    }

    /// A document is written anew, in its place: how far it has loaded is open again.
    pub(crate) fn rewritten(&mut self, id: &FrameId) {
        if let Some(frame) = self.frames.get_mut(id) {
            frame.lifecycle = Lifecycle::default();
        }
    }

    /// A frame and all frames in it, as far as they have a process.
    pub(crate) fn subtree(&self, id: &FrameId) -> Vec<FrameId> {
        let alive = |id: &FrameId| self.frames.get(id).is_some_and(|frame| frame.life != Life::Crashed);
        let below = self.children(id).into_iter().flat_map(|child| self.subtree(&child));
        Some(id.clone()).filter(alive).into_iter().chain(below).collect()
    }

    /// All navigations that ended after number `after`, oldest first.
    pub(crate) fn ended_since(&self, after: u64) -> impl Iterator<Item = &Navigation> {
        self.navigations.iter().filter(move |entry| entry.sequence > after)
    }

    /// A frame left. `swap` says that it only moves to another process and keeps its place.
    pub(crate) fn detached(&mut self, session: &SessionId, id: &FrameId, swap: bool) {
        if self.current(id, session).is_none() || *id == self.main {
            return;
        }
        let Some(frame) = self.frames.get_mut(id).filter(|_| swap) else { return self.remove(id) };
        match frame.arriving.take() {
            Some(session) => self.moved(session, id),
            None => {
                frame.life = Life::Between;
                self.emptied(id);
            }
        }
    }

    pub(crate) fn lifecycle(&mut self, session: &SessionId, id: &FrameId, loader: &LoaderId, name: &Stage) {
        let Some(frame) = self.current(id, session) else { return };
        if frame.loader.get_or_insert_with(|| loader.clone()) != loader {
            return;
        }
        match name {
            Stage::DomContentLoaded => frame.lifecycle.dom_content_loaded = true,
            Stage::Load => frame.lifecycle.load = true,
            _ => {}
        }
    }

    pub(crate) fn context_created(
        &mut self,
        session: &SessionId,
        id: &FrameId,
        world: World,
        context: Context,
    ) {
        self.arrived(id, session);
        let Some(frame) = self.current(id, session) else { return };
        match world {
            World::Main => frame.main_world = Some(context),
            World::Utility => frame.utility_world = Some(context),
        }
    }

    pub(crate) fn context_destroyed(&mut self, session: &SessionId, unique: &str) {
        self.forget_contexts(session, |context| context.unique == unique);
    }

    pub(crate) fn contexts_cleared(&mut self, session: &SessionId) {
        self.forget_contexts(session, |_| true);
    }

    /// A session for a frame in a process of its own: one that is there, or one that it is about to move to.
    pub(crate) fn session_attached(&mut self, session: SessionId, id: FrameId, parent: Option<FrameId>) {
        match self.frames.get_mut(&id) {
            Some(frame) if frame.life == Life::Alive => frame.arriving = Some(session),
            Some(_) => self.moved(session, &id),
            None if parent.is_some() => self.insert(id, parent, session),
            None => {}
        }
    }

    /// A session ended: frames that it still drives are gone, and those that it was to drive stay where they are.
    pub(crate) fn session_ended(&mut self, session: &SessionId) {
        self.not_arriving(session);
        let driven = |(id, frame): &(&FrameId, &Frame)| frame.session == *session && **id != self.main;
        let gone: Vec<FrameId> = self.frames.iter().filter(driven).map(|(id, _)| id.clone()).collect();
        for id in gone {
            self.remove(&id);
        }
    }

    /// The process behind a session died: the frame it was for stays where it is and shows nothing. Gives its URL.
    pub(crate) fn session_crashed(&mut self, session: &SessionId) -> Option<String> {
        self.not_arriving(session);
        let drives = |id: &FrameId| self.frames.get(id).is_some_and(|frame| frame.session == *session);
        let is_root = |(id, frame): &(&FrameId, &Frame)| {
            frame.session == *session && **id != self.main && !frame.parent.as_ref().is_some_and(drives)
        };
        let id = self.frames.iter().find(is_root).map(|(id, _)| id.clone())?;
        self.emptied(&id);
        let frame = self.frames.get_mut(&id)?;
        frame.life = Life::Crashed;
        Some(frame.url.clone())
    }

    /// A script asked for another document in a frame, which may be one without a process.
    pub(crate) fn requested(&mut self, id: &FrameId) {
        if let Some(frame) = self.frames.get_mut(id).filter(|frame| frame.life == Life::Crashed) {
            frame.life = Life::Awaited;
        }
    }

    /// A document came to a frame. If its process had died, gives the session that died with it, once: another one is
    /// to be asked for.
    pub(crate) fn returns(&mut self, id: &FrameId, url: &str) -> Option<SessionId> {
        let dead = |frame: &&mut Frame| matches!(frame.life, Life::Crashed | Life::Awaited);
        let frame = self.frames.get_mut(id).filter(dead)?;
        frame.life = Life::Returning;
        frame.url = url.to_owned();
        Some(frame.session.clone())
    }

    /// A session reports a document of a frame that it is to drive: from now on it does.
    fn arrived(&mut self, id: &FrameId, session: &SessionId) {
        if self.frames.get(id).is_some_and(|frame| frame.arriving.as_ref() == Some(session)) {
            self.moved(session.clone(), id);
        }
    }

    fn not_arriving(&mut self, session: &SessionId) {
        for frame in self.frames.values_mut().filter(|frame| frame.arriving.as_ref() == Some(session)) {
            frame.arriving = None;
        }
    }

    fn current(&mut self, id: &FrameId, session: &SessionId) -> Option<&mut Frame> {
        self.frames.get_mut(id).filter(|frame| frame.session == *session)
    }

    /// The frames directly in a frame, in no order.
    pub(crate) fn children(&self, id: &FrameId) -> Vec<FrameId> {
        let of = |frame: &Frame| frame.parent.as_ref() == Some(id);
        self.frames.iter().filter(|(_, frame)| of(frame)).map(|(id, _)| id.clone()).collect()
    }

    /// Another session drives the frame from now on, and its document is not known yet.
    fn moved(&mut self, session: SessionId, id: &FrameId) {
        self.emptied(id);
        if let Some(frame) = self.frames.get_mut(id) {
            frame.session = session;
            frame.arriving = None;
            frame.life = Life::Alive;
        }
    }

    fn emptied(&mut self, id: &FrameId) {
        for child in self.children(id) {
            self.remove(&child);
        }
        if let Some(frame) = self.frames.get_mut(id) {
            frame.main_world = None;
            frame.utility_world = None;
            frame.loader = None;
            frame.lifecycle = Lifecycle::default();
        }
    }

    fn remove(&mut self, id: &FrameId) {
        for child in self.children(id) {
            self.remove(&child);
        }
        self.frames.remove(id);
    }

    fn insert(&mut self, id: FrameId, parent: Option<FrameId>, session: SessionId) {
        let frame = Frame {
            parent,
            session,
            arriving: None,
            url: String::new(),
            loader: None,
            committed: false,
            lifecycle: Lifecycle::default(),
            main_world: None,
            utility_world: None,
            pending: None,
            life: Life::Alive,
        };
        self.frames.insert(id, frame);
    }

    fn forget_contexts(&mut self, session: &SessionId, gone: impl Fn(&Context) -> bool) {
        for frame in self.frames.values_mut().filter(|frame| frame.session == *session) {
            for world in [&mut frame.main_world, &mut frame.utility_world] {
                if world.as_ref().is_some_and(&gone) {
                    *world = None;
                }
            }
        }
    }

    fn ended(&mut self, frame: &FrameId, loader: Option<LoaderId>, url: String, end: End) {
        self.sequence += 1;
        if self.navigations.len() == NAVIGATIONS {
            self.navigations.pop_front();
        }
        let entry = Navigation { sequence: self.sequence, frame: frame.clone(), loader, url, end };
        self.navigations.push_back(entry);
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
