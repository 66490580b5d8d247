//! The demo's main job: what an unattended worker does in a shop's back office. Sign in, wait for a list that fills
//! row by row, act on one record only, answer a dialog, take a file, pay in a frame of another site.

use std::path::Path;
use std::time::Duration;

use engine::{Browser, ErrorKind, Filter, Page, Role, State, TextMatch};

use crate::orders::ORDERS;
use crate::site::{self, Counters, Site};
use crate::steps::{Failure, Found, Steps, expect};

/// The order to cancel. Another row mentions its number.
const CANCELLED: u32 = 1042;

/// The order to pay.
const PAID: u32 = 1043;

const HOLDER: &str = "Ada Byron";
const CARD: &str = "4242424242424242";

/// How long the list must not change to count as settled.
const QUIET: Duration = Duration::from_millis(600);

/// Does the whole job and writes its artefacts to `out`.
pub(crate) async fn run(
    browser: &Browser,
    site: &Site,
    out: &Path,
    steps: &mut Steps,
) -> Result<(), Failure> {
    let Found(page, _) = steps
        .run("open the back office in a context of its own", async {
            let page = browser.new_context().await?.new_page().await?;
            page.goto(site.url("/login")).await?;
            let title = page.title().await?;
            Ok(Found(page, title))
        })
        .await?;
    orders(&page, site, out, steps).await?;
    payment(&page, site, out, steps).await?;
    steps
        .run("write down what went wrong on the pages meanwhile", async {
            let evidence = page.evidence();
            let lines: String = evidence.iter().map(|entry| format!("{entry}\n")).collect();
            tokio::fs::write(out.join("evidence.txt"), lines).await?;
            Ok(format!("{} entries in evidence.txt", evidence.len()))
        })
        .await?;
    steps.run("ask the site how often each thing happened", async { counted(&site.counters()) }).await?;
    Ok(())
}

async fn orders(page: &Page, site: &Site, out: &Path, steps: &mut Steps) -> Result<(), Failure> {
    steps
        .run("sign in; the button is disabled at first", async {
            page.get_by_label("Email").fill(site::EMAIL).await?;
            page.get_by_label("Password").fill(site::PASSWORD).await?;
            page.get_by_role(Role::Button.named("Sign in")).click().await?;
            page.get_by_role(Role::Heading.named("Orders")).wait_for(State::Visible).await?;
            Ok(())
        })
        .await?;

    let table = page.get_by_role(Role::Table.named("Orders"));
    let cancel = Role::Button.named("Cancel");
    steps
        .run("wait until the list, which fills row by row, has settled", async {
            table.settled(QUIET).await?;
            let rows = table.locator("tbody tr").count().await?;
            expect("rows of the list", rows, ORDERS.len())?;
            Ok(format!("{rows} orders"))
        })
        .await?;
    steps
        .run("press \"Cancel\" without saying which one", async {
            let limit = Duration::from_secs(5);
            match table.get_by_role(cancel.clone()).click().timeout(limit).await {
                Err(refusal) if refusal.kind() == ErrorKind::Strict => {
                    expect("cancellations", site.counters().cancellations.len(), 0)?;
                    Ok("refused, it could be any".to_owned())
                }
                Err(other) => Err(other.into()),
                Ok(()) => Err("some order's button was pressed".into()),
            }
        })
        .await?;

    let number = TextMatch::exact(CANCELLED.to_string());
    let row =
        page.get_by_role(Role::Row).filter(Filter::has(page.get_by_role(Role::Rowheader.named(number))));
    steps
        .run(&format!("find the row of order {CANCELLED}, which another row mentions too"), async {
            let mentioned = Filter::has_text(CANCELLED.to_string());
            expect("rows with that text", page.get_by_role(Role::Row).filter(mentioned).count().await?, 2)?;
            expect("rows with that header", row.count().await?, 1)?;
            Ok(())
        })
        .await?;
    steps
        .run("cancel it, once the overlay has gone", async {
            let _answer = page.on_dialog(|dialog| async move { dialog.accept().await });
            row.get_by_role(cancel.clone()).click().await?;
            row.get_by_text(TextMatch::exact("Cancelled")).wait_for(State::Visible).await?;
            let dialogs = page.dialogs();
            expect("dialogs", dialogs.len(), 1)?;
            Ok(format!("\"{}\" answered with yes", dialogs[0].message))
        })
        .await?;
    steps
        .run("download its invoice", async {
            let invoice = row.get_by_role(Role::Link.named("Invoice"));
            let download = page.expect_download(|| invoice.click()).await?;
            let file = out.join(download.suggested_filename());
            download.save_as(&file).await?;
            let bytes = tokio::fs::read(&file).await?;
            let whole = bytes.starts_with(b"%PDF-") && bytes.ends_with(b"%%EOF\n");
            expect("the invoice is a whole PDF", whole, true)?;
            Ok(format!("{}, {} kB", download.suggested_filename(), bytes.len() / 1000))
        })
        .await?;
    steps
        .run("take a screenshot of the whole list", async {
            let picture = page.screenshot().full_page(true).await?;
            tokio::fs::write(out.join("orders.png"), &picture).await?;
            Ok(format!("orders.png, {} kB", picture.len() / 1000))
        })
        .await?;
    steps
        .run("read the order's page", async {
            row.get_by_role(Role::Link.named("Details")).click().await?;
            let state = page.get_by_test_id("state").inner_text().await?;
            expect("state of the order", state.as_str(), "Cancelled")?;
            Ok(state)
        })
        .await?;
    Ok(())
}

async fn payment(page: &Page, site: &Site, out: &Path, steps: &mut Steps) -> Result<(), Failure> {
    steps
        .run(&format!("take the payment for order {PAID}"), async {
            page.goto(site.url(&format!("/orders/{PAID}"))).await?;
            page.get_by_role(Role::Link.named("Take payment")).click().await?;
            let heading = page.get_by_role(Role::Heading.level(1)).inner_text().await?;
            expect("heading", heading, format!("Payment for order {PAID}"))?;
            Ok(())
        })
        .await?;
    let form = page.frame_locator("iframe#pay");
    steps
        .run("fill the card form, in a frame of another site", async {
            form.get_by_label("Name on card").fill(HOLDER).await?;
            form.get_by_label("Card number").fill(CARD).await?;
            form.get_by_label("Expiry date").fill("12/29").await?;
            form.get_by_label("Security code").fill("123").await?;
            Ok(())
        })
        .await?;
    steps
        .run("pay, once the card has been checked", async {
            form.get_by_role(Role::Button.named("Pay")).click().await?;
            let receipt = page.get_by_role(Role::Status).filter(Filter::has_text("receipt"));
            Ok(receipt.inner_text().await?)
        })
        .await?;
    steps
        .run("take a screenshot of the receipt", async {
            let picture = page.screenshot().await?;
            tokio::fs::write(out.join("receipt.png"), &picture).await?;
            Ok(format!("receipt.png, {} kB", picture.len() / 1000))
        })
        .await?;
    Ok(())
}

/// Holds the site's own counters against what was meant to happen.
fn counted(counters: &Counters) -> Result<String, Failure> {
    let Counters { logins, cancellations, invoices, payments } = counters;
    expect("logins", *logins, 1)?;
    expect("cancellations by order", cancellations.iter().collect(), vec![(&CANCELLED, &1)])?;
    expect("invoices by order", invoices.iter().collect(), vec![(&CANCELLED, &1)])?;
    let paid: Vec<_> = payments.iter().map(|it| (it.order, it.holder.as_str(), it.card.as_str())).collect();
    expect("payments", paid, vec![(PAID, HOLDER, CARD)])?;
    Ok("1 login, 1 cancellation, 1 invoice, 1 payment".to_owned())
}
