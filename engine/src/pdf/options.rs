//! What a document is to be like, and having it printed.

use std::future::IntoFuture;
use std::time::Duration;

use bytes::Bytes;
use cdp_protocol::CallError;
use cdp_protocol::domains::page::{PrintToPdf, PrintToPdfResult, PrintToPdfTransferMode};

use super::paper::{Length, Paper};
use super::stream::{self, PdfStream};
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{self, BoxFuture, Operation, Options};
use crate::page::Page;
use crate::progress::Progress;

/// What stands in a margin for which nothing was given: without it the browser prints date, title and address.
const NOTHING: &str = "<span></span>";

/// Chromium's words for what no page can be printed with.
const INVALID: [&str; 3] = ["Page range", "invalid print parameters", "Printing failed: invalid"];

/// A page to be printed as a PDF document; a letter without margins and backgrounds unless told otherwise. Styles for
/// print hold.
///
/// Awaited, it is there as a whole; [`Pdf::stream`] gives it in parts.
///
/// # Errors
///
/// As [`Operation`]. [`ErrorKind::Invalid`] for a scale outside of 0.1 to 2, for paper of which the margins leave nothing,
/// and for ranges that are none or have no page.
///
/// # Cancel safety
///
/// The browser prints to the end, and what it gives is thrown away.
#[must_use = "a page is printed when it is awaited"]
pub struct Pdf {
    page: Page,
    paper: Paper,
    /// Top, right, bottom, left.
    margins: [Length; 4],
    command: PrintToPdf,
    scale: f64,
    header: Option<String>,
    footer: Option<String>,
    options: Options,
}

impl Page {
    /// Prints the page as a PDF document.
    pub fn pdf(&self) -> Pdf {
        Pdf {
            page: self.clone(),
            paper: Paper::LETTER,
            margins: [Length::ZERO; 4],
            // What is not said is for the browser to choose, and differs between its versions.
            command: PrintToPdf::default()
                .landscape(false)
                .print_background(false)
                .prefer_css_page_size(false)
                .generate_tagged_pdf(false)
                .generate_document_outline(false),
            scale: 1.0,
            header: None,
            footer: None,
            options: Options::default(),
        }
    }
}

impl Pdf {
    /// The paper; [`Paper::LETTER`] unless set.
    pub fn paper(mut self, paper: Paper) -> Self {
        self.paper = paper;
        self
    }

    /// Whether the paper lies on its side.
    pub fn landscape(mut self, landscape: bool) -> Self {
        self.command = self.command.landscape(landscape);
        self
    }

    /// How much the page is enlarged, 0.1 to 2; 1 unless set.
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// All four margins; none unless set.
    pub fn margin(self, margin: Length) -> Self {
        self.margins(margin, margin, margin, margin)
    }

    /// The margins at the top, the right, the bottom and the left.
    pub fn margins(mut self, top: Length, right: Length, bottom: Length, left: Length) -> Self {
        self.margins = [top, right, bottom, left];
        self
    }

    /// Whether backgrounds are printed.
    pub fn print_background(mut self, print: bool) -> Self {
        self.command = self.command.print_background(print);
        self
    }

    /// The pages to print, counted from 1, such as `1-5, 8`; all unless set. They come in the document's order.
    pub fn page_ranges(mut self, ranges: impl Into<String>) -> Self {
        self.command = self.command.page_ranges(ranges);
        self
    }

    /// HTML for the top margin, which must be large enough. Elements of the classes `date`, `title`, `url`, `pageNumber`
    /// and `totalPages` are filled in. It has no styles of the page's; without a font size of its own it is tiny.
    pub fn header_template(mut self, html: impl Into<String>) -> Self {
        self.header = Some(html.into());
        self
    }

    /// HTML for the bottom margin, as [`Pdf::header_template`].
    pub fn footer_template(mut self, html: impl Into<String>) -> Self {
        self.footer = Some(html.into());
        self
    }

    /// Whether a size in an `@page` rule of the document comes before [`Pdf::paper`]. Otherwise such pages are scaled to
    /// the paper.
    pub fn prefer_css_page_size(mut self, prefer: bool) -> Self {
        self.command = self.command.prefer_css_page_size(prefer);
        self
    }

    /// Whether the document has tags, which screen readers use.
    pub fn tagged(mut self, tagged: bool) -> Self {
        self.command = self.command.generate_tagged_pdf(tagged);
        self
    }

    /// Whether the document has an outline, made of the page's headings.
    pub fn outline(mut self, outline: bool) -> Self {
        self.command = self.command.generate_document_outline(outline);
        self
    }

    /// The time it may take in all; 30 seconds unless set. Of a stream, until its first part could be read.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// Prints the page and gives the document in parts, so that it is never in memory as a whole.
    ///
    /// # Errors
    ///
    /// As [`Pdf`].
    pub fn stream(self) -> Operation<PdfStream> {
        let options = self.options;
        Operation::new("pdf".into(), move |progress, _| async move {
            let page = self.page.clone();
            let command = self.command()?.transfer_mode(PrintToPdfTransferMode::ReturnAsStream);
            let printed = print(page.clone(), command, &progress).await?;
            let handle = printed
                .stream
                .ok_or_else(|| Error::new(ErrorKind::Protocol, "the browser printed to no stream"))?;
            Ok(PdfStream::new(page, handle))
        })
        .with(options)
    }

    /// The command, of which all that can be wrong without a page is right.
    fn command(self) -> Result<PrintToPdf> {
        let invalid = |what: &str| Err(Error::new(ErrorKind::Invalid, what));
        if !(0.1..=2.0).contains(&self.scale) {
            return invalid("the scale goes from 0.1 to 2");
        }
        let [top, right, bottom, left] = self.margins.map(Length::as_inches);
        if [top, right, bottom, left].iter().any(|margin| !margin.is_finite() || *margin < 0.0) {
            return invalid("a margin is less than nothing");
        }
        let (width, height) = (self.paper.width.as_inches(), self.paper.height.as_inches());
        if !(width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0) {
            return invalid("the paper has no size");
        }
        // Margins stay where they are when the paper is laid on its side.
        let lies = self.command.landscape == Some(true);
        let (across, down) = if lies { (height, width) } else { (width, height) };
        if left + right >= across || top + bottom >= down {
            return invalid("the margins leave nothing of the paper");
        }
        let mut command = self
            .command
            .scale(self.scale)
            .paper_width(width)
            .paper_height(height)
            .margin_top(top)
            .margin_right(right)
            .margin_bottom(bottom)
            .margin_left(left);
        if self.header.is_some() || self.footer.is_some() {
            let or_nothing = |html: Option<String>| html.unwrap_or_else(|| NOTHING.into());
            command = command
                .display_header_footer(true)
                .header_template(or_nothing(self.header))
                .footer_template(or_nothing(self.footer));
        }
        Ok(command)
    }
}

/// Has the page printed. It takes turns with pictures and actions: printing lays the page out anew. What nobody waits
/// for any more is closed.
async fn print(page: Page, command: PrintToPdf, progress: &Progress) -> Result<PrintToPdfResult> {
    let session = page.session().clone();
    let printed = async move {
        let _turn = page.core.turn.lock().await;
        page.session().call(&command).await.map_err(|error| match error {
            CallError::Refused { message, .. } if INVALID.iter().any(|it| message.contains(it)) => {
                Error::new(ErrorKind::Invalid, message)
            }
            error => error.into(),
        })
    };
    let close = move |unwanted: PrintToPdfResult| {
        if let Some(handle) = unwanted.stream {
            stream::close(&session, handle);
        }
    };
    progress.run(operation::make_or_undo(printed, close)).await
}

impl IntoFuture for Pdf {
    type Output = Result<Bytes>;
    type IntoFuture = BoxFuture<Result<Bytes>>;

    fn into_future(self) -> Self::IntoFuture {
        let options = self.options;
        Operation::new("pdf".into(), move |progress, _| async move {
            let page = self.page.clone();
            let printed = print(page, self.command()?, &progress).await?;
            Ok(printed.data.into_bytes())
        })
        .with(options)
        .into_future()
    }
}
