//! A real PDF of an order's invoice: a first page, and an annex with the terms that fills some hundred pages.

use crate::orders::Order;

const ANNEX_PAGES: usize = 120;
const ANNEX_LINES: usize = 44;

/// A complete PDF 1.4 file, a few hundred kB long, the same bytes for the same order.
pub(crate) fn pdf(order: &Order) -> Vec<u8> {
    let first = vec![
        "Harbour Office Supplies".to_owned(),
        format!("Invoice for order {}", order.number),
        format!("Customer: {}", order.customer),
        format!("Placed on {}", order.placed),
        format!("Total: EUR {}.{:02}", order.cents / 100, order.cents % 100),
    ];
    let annex = (1..=ANNEX_PAGES).map(|page| {
        let line =
            |line| format!("{page}.{line}  Conditions of delivery, as agreed with {}.", order.customer);
        (1..=ANNEX_LINES).map(line).collect()
    });
    let pages: Vec<Vec<String>> = std::iter::once(first).chain(annex).collect();

    // Objects 1 to 3 are the catalogue, the page tree and the font; then a page and its text in turn.
    let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 4 + 2 * page)).collect();
    let mut file = File::new();
    file.object("<< /Type /Catalog /Pages 2 0 R >>");
    file.object(&format!("<< /Type /Pages /Count {} /Kids [ {kids}] >>", pages.len()));
    file.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
    for lines in &pages {
        let text = file.offsets.len() + 2;
        file.object(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {text} 0 R \
             /Resources << /Font << /F 3 0 R >> >> >>"
        ));
        let body: String = lines.iter().map(|line| format!("({}) Tj T*\n", escaped(line))).collect();
        let body = format!("BT /F 11 Tf 16 TL 60 780 Td\n{body}ET\n");
        file.object(&format!("<< /Length {} >>\nstream\n{body}endstream", body.len()));
    }
    file.finish()
}

fn escaped(line: &str) -> String {
    line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

struct File {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl File {
    fn new() -> File {
        File { bytes: b"%PDF-1.4\n".to_vec(), offsets: Vec::new() }
    }

    fn object(&mut self, body: &str) {
        self.offsets.push(self.bytes.len());
        self.bytes.extend(format!("{} 0 obj\n{body}\nendobj\n", self.offsets.len()).into_bytes());
    }

    fn finish(mut self) -> Vec<u8> {
        let (start, count) = (self.bytes.len(), self.offsets.len() + 1);
        let entries: String = self.offsets.iter().map(|offset| format!("{offset:010} 00000 n \n")).collect();
        let table = format!(
            "xref\n0 {count}\n0000000000 65535 f \n{entries}trailer\n<< /Size {count} /Root 1 0 R >>\n\
             startxref\n{start}\n%%EOF\n"
        );
        self.bytes.extend(table.into_bytes());
        self.bytes
    }
}
