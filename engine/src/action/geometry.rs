//! The way of a point from a frame's viewport to the page's, and the proof that a click there reaches the frame.

use cdp_protocol::domains::dom::{BackendNodeId, GetBoxModel, GetFrameOwner, GetNodeForLocation};
use cdp_protocol::domains::page::{FrameId, GetLayoutMetrics};
use cdp_protocol::domains::target::SessionId;
use cdp_protocol::{CallError, Session};
use serde_json::Value;

use crate::core::page::PageCore;
use crate::world::{self, WorldError};

/// A point in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
}

/// Where a point of a frame lies in the page.
pub(crate) enum Mapped {
    /// There, and a click there reaches the frame.
    At(Point),
    /// Something in a frame further out lies over it.
    Covered(String),
}

/// Maps a point of a frame's viewport of the given size to the viewport of the page.
///
/// Each frame element's content quad is taken from the browser, so borders, padding and transforms are in it. Each
/// local root on the way is asked what lies at the point, since input is dispatched to the page as a whole.
pub(crate) async fn to_page(
    page: &PageCore,
    frame: &FrameId,
    point: Point,
    size: (f64, f64),
) -> Result<Mapped, WorldError> {
    let (mut frame, mut point, mut size) = (frame.clone(), point, size);
    loop {
        let Some((session, root)) = outer(page, &frame)? else { return Ok(Mapped::At(point)) };
        let gone = |error| world::gone_or_failed(page, error);
        let owner = session.call(&GetFrameOwner::new(frame.clone()));
        let metrics = session.call(&GetLayoutMetrics);
        let owner = owner.await.map_err(gone)?.backend_node_id;
        let metrics = metrics.await.map_err(gone)?;
        let model = session.call(&GetBoxModel::default().backend_node_id(owner)).await.map_err(gone)?.model;
        let Some(mapped) = through_quad(&model.content.0, point, size) else {
            return Err(WorldError::Gone("the frame has no box".into()));
        };
        let view = metrics.css_visual_viewport;
        let at = Point { x: mapped.x + view.page_x, y: mapped.y + view.page_y };
        if let Some(by) = covered(page, &session, at, owner, &frame).await? {
            return Ok(Mapped::Covered(by));
        }
        point = mapped;
        frame = root;
        if frame != *page.state().frames.main() {
            size = world::call::<[f64; 2]>(page, &frame, "viewport", Vec::<Value>::new()).await?.into();
        }
    }
}

/// The session of a frame's parent, and the outermost frame which that session drives.
pub(crate) fn outer(page: &PageCore, frame: &FrameId) -> Result<Option<(Session, FrameId)>, WorldError> {
    let state = page.state();
    let find = |id: &FrameId| {
        state.frames.get(id).ok_or_else(|| WorldError::Gone("a frame on the way was detached".into()))
    };
    let Some(mut root) = find(frame)?.parent.clone() else { return Ok(None) };
    let session: SessionId = find(&root)?.session.clone();
    while let Some(parent) = find(&root)?.parent.clone()
        && find(&parent)?.session == session
    {
        root = parent;
    }
    Ok(Some((page.session_of(&session), root)))
}

/// What lies over a frame at a point of its local root's document, if it is not the frame itself.
async fn covered(
    page: &PageCore,
    session: &Session,
    at: Point,
    owner: BackendNodeId,
    frame: &FrameId,
) -> Result<Option<String>, WorldError> {
    let hit = session.call(&GetNodeForLocation::new(at.x.floor() as i64, at.y.floor() as i64)).await;
    let hit = match hit {
        Ok(hit) => hit,
        Err(CallError::Refused { message, .. }) => {
            return Ok(Some(format!("nothing is there ({message}); it")));
        }
        Err(error) => return Err(world::gone_or_failed(page, error)),
    };
    // A frame of another process is hit as its element; one of the same process as a node of its document, or of a
    // document inside of that.
    let reached = {
        let state = page.state();
        let own = state.frames.get(frame).is_some_and(|frame| session.id() == Some(&frame.session));
        let inside = hit.frame_id == *frame || state.frames.ancestors(&hit.frame_id).contains(frame);
        if own { inside } else { hit.backend_node_id == owner }
    };
    if reached {
        return Ok(None);
    }
    let node = session
        .call(&cdp_protocol::domains::dom::DescribeNode::default().backend_node_id(hit.backend_node_id));
    let node = node.await.map_err(|error| world::gone_or_failed(page, error))?.node;
    let id = node.attributes.iter().flatten().skip_while(|name| *name != "id").nth(1);
    let id = id.map(|id| format!(" id={id:?}")).unwrap_or_default();
    Ok(Some(format!("<{}{id}> outside of the frame", node.node_name.to_lowercase())))
}

/// Maps a point of a box of the given size into the quad (four points, clockwise from the top left) it is shown as.
pub(crate) fn through_quad(quad: &[f64], point: Point, (width, height): (f64, f64)) -> Option<Point> {
    let &[x0, y0, x1, y1, _, _, x3, y3] = quad else { return None };
    if !(width > 0.0 && height > 0.0) {
        return None;
    }
    let (right, down) = (point.x / width, point.y / height);
    Some(Point { x: x0 + (x1 - x0) * right + (x3 - x0) * down, y: y0 + (y1 - y0) * right + (y3 - y0) * down })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_follows_the_frame_through_offsets_and_transforms() {
        let cases = [
            // A frame of 100×50 at (57, 57), as it is.
            ([57.0, 57.0, 157.0, 57.0, 157.0, 107.0, 57.0, 107.0], (67.0, 62.0)),
            // The same at half its size.
            ([10.0, 10.0, 60.0, 10.0, 60.0, 35.0, 10.0, 35.0], (15.0, 12.5)),
            // Turned by a quarter: its right is down, its down is left.
            ([100.0, 0.0, 100.0, 100.0, 50.0, 100.0, 50.0, 0.0], (95.0, 10.0)),
        ];
        for (quad, (x, y)) in cases {
            assert_eq!(through_quad(&quad, Point { x: 10.0, y: 5.0 }, (100.0, 50.0)), Some(Point { x, y }));
        }
        assert_eq!(through_quad(&[0.0; 8], Point { x: 1.0, y: 1.0 }, (0.0, 0.0)), None);
    }
}
