//! Pages as PDF documents: their pages, sizes and parts, read out of the documents themselves.

use std::future::{IntoFuture, poll_fn};
use std::task::Poll;

use bytes::Bytes;
use cdp_protocol::domains::io::{Close, Read, StreamHandle};
use cdp_protocol::domains::page::{PrintToPdf, PrintToPdfTransferMode};
use engine::{ErrorKind, Length, Paper, Pdf, PdfStream};
use futures_core::Stream;

use crate::harness::{Env, Outcome, tests};

tests![
    paper_has_the_size_that_was_asked_for,
    margins_scale_and_ranges_decide_which_pages_there_are,
    backgrounds_and_what_stands_in_the_margins_are_printed_if_told_so,
    tags_and_an_outline_are_there_if_told_so,
    what_can_not_be_printed_is_refused,
    a_stream_gives_the_same_document_in_parts,
    a_stream_is_closed_when_it_was_read_or_dropped,
    a_document_that_nobody_waits_for_is_closed,
];

type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The numbers of each `/MediaBox [0 0 width height]`, in points: one for each page.
fn sizes(document: &[u8]) -> Vec<(f64, f64)> {
    assert!(document.starts_with(b"%PDF-"), "no PDF");
    let text = String::from_utf8_lossy(document);
    let boxes = text.split("/MediaBox [").skip(1);
    let numbers = boxes.map(|rest| rest.split(']').next().unwrap_or_default());
    numbers
        .map(|numbers| {
            let numbers: Vec<f64> =
                numbers.split_whitespace().map(|number| number.parse().unwrap_or(f64::NAN)).collect();
            (numbers[2], numbers[3])
        })
        .collect()
}

async fn pages(pdf: Pdf) -> Fallible<usize> {
    Ok(sizes(&pdf.await?).len())
}

/// What the document draws: its compressed streams that are text, as the browser inflates them.
async fn drawn(env: &Env, document: &[u8]) -> Fallible<String> {
    let script = format!(
        r"(async () => {{
            const bytes = new Uint8Array({document:?});
            const text = new TextDecoder('latin1').decode(bytes);
            let drawn = '';
            for (const found of text.matchAll(/FlateDecode[^]*?stream\r?\n/g)) {{
                const length = Number(/\/Length (\d+)/.exec(text.slice(found.index - 200, found.index + found[0].length))?.[1]);
                const start = found.index + found[0].length;
                const stream = new Blob([bytes.slice(start, start + length)]).stream();
                try {{
                    drawn += await new Response(stream.pipeThrough(new DecompressionStream('deflate'))).text();
                }} catch {{}}
            }}
            return drawn;
        }})()"
    );
    let reader = env.context.new_page().await?;
    let drawn = reader.evaluate(script).await?;
    reader.close().await?;
    Ok(drawn)
}

async fn paper_has_the_size_that_was_asked_for(env: &Env) -> Outcome {
    env.open("<p>text</p>").await?;
    // The orientation of such a page counts in any case.
    let sized = env.context.new_page().await?;
    env.site.page("/sized", "<style>@page { size: 150px 300px }</style><p>text</p>");
    sized.goto(env.site.url("/sized")).await?;
    let pdf = || env.page.pdf();
    let square = Paper::new(Length::cm(12.7), Length::mm(127.0));
    for (pdf, (width, height)) in [
        (pdf(), (612.0, 792.0)),
        (pdf().paper(Paper::A4), (8.27 * 72.0, 11.7 * 72.0)),
        (pdf().paper(Paper::LEGAL).landscape(true), (14.0 * 72.0, 612.0)),
        (pdf().paper(square), (360.0, 360.0)),
        (pdf().paper(Paper::new(Length::px(192.0), Length::inches(3.0))), (144.0, 216.0)),
        (sized.pdf(), (612.0, 792.0)),
        (sized.pdf().prefer_css_page_size(true), (112.5, 225.0)),
    ] {
        let found = sizes(&pdf.await?);
        // Chromium prints in whole points.
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1.0;
        assert_eq!(found.len(), 1);
        assert!(near(found[0].0, width) && near(found[0].1, height), "{found:?}, not {width}×{height}");
    }
    Ok(())
}

async fn margins_scale_and_ranges_decide_which_pages_there_are(env: &Env) -> Outcome {
    // Blocks that stay whole, two beside and two below each other on a letter without margins.
    let block = "<div style='display:inline-block;width:4in;height:5in'></div>";
    env.open(&format!("<body style='margin:0;font-size:0'>{}", block.repeat(12))).await?;
    let pdf = || env.page.pdf();
    assert_eq!(pages(pdf()).await?, 3);
    assert_eq!(pages(pdf().margin(Length::inches(1.0))).await?, 12);
    let (wide, no) = (Length::inches(1.5), Length::ZERO);
    for (top, right, bottom, left) in
        [(wide, no, no, no), (no, wide, no, no), (no, no, wide, no), (no, no, no, wide)]
    {
        assert_eq!(pages(pdf().margins(top, right, bottom, left)).await?, 6);
    }
    assert_eq!(pages(pdf().scale(0.5)).await?, 1);
    assert_eq!(pages(pdf().page_ranges("1, 3")).await?, 2);
    assert_eq!(pages(pdf().page_ranges("2-3")).await?, 2);
    Ok(())
}

async fn backgrounds_and_what_stands_in_the_margins_are_printed_if_told_so(env: &Env) -> Outcome {
    env.open("<body style='background:lime'><p>text</p>").await?;
    let coloured = |colour: &str| {
        format!(
            "<div style='width:2in;height:.5in;background:{colour};-webkit-print-color-adjust:exact'></div>"
        )
    };
    let pdf = || env.page.pdf().margin(Length::inches(1.0));
    let (lime, red, blue) = ("0 1 0 rg", "1 0 0 rg", "0 0 1 rg");
    for (pdf, expected) in [
        (pdf(), [false, false, false]),
        (pdf().print_background(true), [true, false, false]),
        (pdf().header_template(coloured("red")), [false, true, false]),
        (pdf().header_template(coloured("red")).footer_template(coloured("blue")), [false, true, true]),
    ] {
        let drawn = drawn(env, &pdf.await?).await?;
        // Nothing but the page's own text is written, in particular no date and no address.
        assert_eq!(drawn.matches("BT").count(), 1, "{drawn}");
        assert_eq!([lime, red, blue].map(|colour| drawn.contains(colour)), expected, "{drawn}");
    }
    Ok(())
}

async fn tags_and_an_outline_are_there_if_told_so(env: &Env) -> Outcome {
    env.open("<h1>One</h1><h2>Two</h2><p>text</p>").await?;
    let pdf = || env.page.pdf();
    for (pdf, expected) in [
        (pdf(), [false, false]),
        (pdf().tagged(true), [true, false]),
        (pdf().tagged(true).outline(true), [true, true]),
    ] {
        let document = pdf.await?;
        let text = String::from_utf8_lossy(&document);
        assert_eq!(["/StructTreeRoot", "/Outlines"].map(|it| text.contains(it)), expected);
    }
    Ok(())
}

async fn what_can_not_be_printed_is_refused(env: &Env) -> Outcome {
    env.open("<p>text</p>").await?;
    let pdf = || env.page.pdf();
    let wide = Length::inches(4.25);
    for (pdf, message) in [
        (pdf().scale(3.0), "pdf: the scale goes from 0.1 to 2"),
        (pdf().scale(f64::NAN), "pdf: the scale goes from 0.1 to 2"),
        (pdf().margin(Length::cm(-1.0)), "pdf: a margin is less than nothing"),
        (
            pdf().margins(Length::ZERO, wide, Length::ZERO, wide),
            "pdf: the margins leave nothing of the paper",
        ),
        (pdf().paper(Paper::new(Length::ZERO, wide)), "pdf: the paper has no size"),
        (pdf().page_ranges("1-"), ""),
        (pdf().page_ranges("one"), "pdf: Page range"),
        (pdf().page_ranges("7"), "pdf: Page range"),
    ] {
        match (pdf.await, message) {
            // To the end.
            (Ok(document), "") => assert_eq!(sizes(&document).len(), 1),
            (Ok(_), _) => panic!("{message:?} was expected"),
            (Err(error), _) => {
                assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
                assert!(!message.is_empty() && error.to_string().starts_with(message), "{error}");
            }
        }
    }
    let error = pdf().scale(0.0).stream().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    Ok(())
}

/// A page whose document is larger than what is read at once: noise can't be compressed.
async fn open_noise(env: &Env) -> Outcome {
    env.open("<canvas id=noise width=700 height=700></canvas>").await?;
    env.page
        .evaluate::<()>(
            "(() => {
                const context = noise.getContext('2d');
                const image = context.createImageData(700, 700);
                let seed = 1;
                for (let at = 0; at < image.data.length; at++) {
                    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
                    image.data[at] = at % 4 === 3 ? 255 : (seed >>> 16) & 255;
                }
                context.putImageData(image, 0, 0);
            })()",
        )
        .await?;
    Ok(())
}

async fn a_stream_gives_the_same_document_in_parts(env: &Env) -> Outcome {
    open_noise(env).await?;
    let whole = env.page.pdf().await?;
    let mut stream = Box::pin(env.page.pdf().stream().await?);
    let mut parts: Vec<Bytes> = Vec::new();
    while let Some(part) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
        parts.push(part?);
    }
    assert!(parts.len() > 2 && parts.iter().all(|part| !part.is_empty()), "{} parts", parts.len());
    let document = parts.concat();
    // They may differ in the time they were made at.
    assert_eq!((document.len(), sizes(&document)), (whole.len(), sizes(&whole)));
    assert!(document.trim_ascii_end().ends_with(b"%%EOF"));
    Ok(())
}

/// The number that the next stream gets: Chromium counts them.
async fn next_stream(env: &Env) -> Fallible<u32> {
    let print = PrintToPdf::default().transfer_mode(PrintToPdfTransferMode::ReturnAsStream);
    let handle = env.page.session().call(&print).await?.stream.ok_or("printed to no stream")?;
    env.page.session().call(&Close::new(handle.clone())).await?;
    Ok(handle.as_str().parse::<u32>()? + 1)
}

/// Whether the page has a stream of this number.
async fn has_stream(env: &Env, number: u32) -> bool {
    let read = Read::new(StreamHandle::from(number.to_string())).offset(0).size(1);
    env.page.session().call(&read).await.is_ok()
}

async fn a_stream_is_closed_when_it_was_read_or_dropped(env: &Env) -> Outcome {
    open_noise(env).await?;
    let next = next_stream(env).await?;
    let read_all = |mut stream: PdfStream| async move {
        while let Some(part) = stream.next().await {
            part?;
        }
        Ok::<_, engine::Error>(stream)
    };
    let first = env.page.pdf().stream().await?;
    assert!(has_stream(env, next).await);
    let first = read_all(first).await?;
    assert!(!has_stream(env, next).await);
    drop(first);
    let mut second = env.page.pdf().stream().await?;
    assert!(second.next().await.is_some_and(|part| part.is_ok()));
    assert!(has_stream(env, next + 1).await);
    drop(second);
    assert!(!has_stream(env, next + 1).await);
    // The page of the third goes away.
    let mut third = env.page.pdf().stream().await?;
    env.page.close().await?;
    let error = loop {
        match third.next().await {
            Some(Ok(_)) => {}
            Some(Err(error)) => break error,
            None => panic!("the stream ended as if it was whole"),
        }
    };
    assert!(error.is_closed(), "{error}");
    assert!(third.next().await.is_none());
    Ok(())
}

async fn a_document_that_nobody_waits_for_is_closed(env: &Env) -> Outcome {
    open_noise(env).await?;
    let next = next_stream(env).await?;
    let mut printing = env.page.pdf().stream().into_future();
    // Polled once, it has asked the browser to print.
    poll_fn(|context| {
        assert!(printing.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    drop(printing);
    // Its turn comes after the one that was dropped.
    let stream = env.page.pdf().stream().await?;
    assert!(has_stream(env, next + 1).await);
    assert!(!has_stream(env, next).await);
    drop(stream);
    Ok(())
}
