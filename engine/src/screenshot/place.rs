//! Where a picture is taken: rectangles of the document in CSS pixels, and the way of an element's box out of its frame.

use cdp_protocol::domains::dom::{GetBoxModel, GetFrameOwner};
use cdp_protocol::domains::page::FrameId;
use serde::Deserialize;
use serde_json::Value;

use crate::action::geometry::{Point, outer, through_quad};
use crate::core::page::PageCore;
use crate::world::{self, WorldError};

/// Differences of less than this are of rounding.
const EPSILON: f64 = 1e-3;

/// A rectangle in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A size in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Size {
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub(super) fn moved(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }

    /// What both have in common, if anything.
    pub(super) fn within(self, outer: Rect) -> Option<Rect> {
        let (x, y) = (self.x.max(outer.x), self.y.max(outer.y));
        let width = (self.x + self.width).min(outer.x + outer.width) - x;
        let height = (self.y + self.height).min(outer.y + outer.height) - y;
        (width > 0.0 && height > 0.0).then_some(Rect { x, y, width, height })
    }

    /// The smallest rectangle of whole pixels around it.
    pub(super) fn enclosing(self) -> Rect {
        let (x, y) = ((self.x + EPSILON).floor(), (self.y + EPSILON).floor());
        let right = (self.x + self.width - EPSILON).ceil();
        let bottom = (self.y + self.height - EPSILON).ceil();
        Rect { x, y, width: right - x, height: bottom - y }
    }

    pub(super) fn contains(&self, inner: &Rect) -> bool {
        let fits = |from: f64, length: f64, start: f64, all: f64| {
            from >= start - EPSILON && from + length <= start + all + EPSILON
        };
        fits(inner.x, inner.width, self.x, self.width) && fits(inner.y, inner.height, self.y, self.height)
    }
}

/// Maps a box of a frame's viewport to the viewport of the page. Where it is turned on the way, it is the box around it.
pub(super) async fn to_page(
    page: &PageCore,
    frame: &FrameId,
    rect: Rect,
    size: Size,
) -> Result<Rect, WorldError> {
    let (mut frame, mut rect, mut size) = (frame.clone(), rect, (size.width, size.height));
    while let Some((session, root)) = outer(page, &frame)? {
        let gone = |error| world::gone_or_failed(page, error);
        let owner = session.call(&GetFrameOwner::new(frame)).await.map_err(gone)?.backend_node_id;
        let model = session.call(&GetBoxModel::default().backend_node_id(owner)).await.map_err(gone)?.model;
        rect = around(&model.content.0, rect, size)
            .ok_or_else(|| WorldError::Gone("the frame has no box".into()))?;
        frame = root;
        if frame != *page.state().frames.main() {
            size = world::call::<[f64; 2]>(page, &frame, "viewport", Vec::<Value>::new()).await?.into();
        }
    }
    Ok(rect)
}

/// The box around a box that is shown through a quad.
fn around(quad: &[f64], rect: Rect, size: (f64, f64)) -> Option<Rect> {
    let (right, bottom) = (rect.x + rect.width, rect.y + rect.height);
    let corners = [(rect.x, rect.y), (right, rect.y), (right, bottom), (rect.x, bottom)];
    let mut edges: Option<[f64; 4]> = None;
    for (x, y) in corners {
        let at = through_quad(quad, Point { x, y }, size)?;
        let [left, top, right, bottom] = edges.unwrap_or([at.x, at.y, at.x, at.y]);
        edges = Some([left.min(at.x), top.min(at.y), right.max(at.x), bottom.max(at.y)]);
    }
    let [x, y, right, bottom] = edges?;
    Some(Rect { x, y, width: right - x, height: bottom - y })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect { x, y, width, height }
    }

    #[test]
    fn whole_pixels_are_taken_around_a_box() {
        let cases = [
            (rect(0.5, 10.0, 1.0, 5.0), rect(0.0, 10.0, 2.0, 5.0)),
            (rect(2.9999, 3.0001, 10.0, 10.0002), rect(3.0, 3.0, 10.0, 10.0)),
            (rect(-0.5, 0.0, 0.25, 1.0), rect(-1.0, 0.0, 1.0, 1.0)),
        ];
        for (given, expected) in cases {
            assert_eq!(given.enclosing(), expected, "{given:?}");
        }
    }

    #[test]
    fn what_two_boxes_share_may_be_nothing() {
        let view = rect(0.0, 0.0, 100.0, 50.0);
        assert_eq!(rect(90.0, -5.0, 20.0, 20.0).within(view), Some(rect(90.0, 0.0, 10.0, 15.0)));
        assert_eq!(rect(100.0, 0.0, 20.0, 20.0).within(view), None);
        assert!(view.contains(&rect(0.0, 0.0, 100.0, 50.0)) && !view.contains(&rect(0.0, 0.0, 100.0, 51.0)));
    }

    #[test]
    fn a_box_that_is_turned_has_a_box_around_it() {
        // A frame of 100×50, turned by a quarter: its right is down, its down is left.
        let quad = [100.0, 0.0, 100.0, 100.0, 50.0, 100.0, 50.0, 0.0];
        assert_eq!(
            around(&quad, rect(10.0, 5.0, 20.0, 10.0), (100.0, 50.0)),
            Some(rect(85.0, 10.0, 10.0, 20.0))
        );
    }
}
