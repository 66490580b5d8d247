//! The demo's own site: the back office of a small shop, on 127.0.0.1, with the delays, re-renders and overlays of
//! a real one. It counts what reached it, so that the demo can prove that each step happened exactly once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::orders::{ORDERS, Order};

pub(crate) const EMAIL: &str = "ada@example.org";
pub(crate) const PASSWORD: &str = "correct horse battery";

/// How many orders one page of the list holds.
const PAGE: usize = 4;

/// What reached the server, by kind and order number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) logins: u32,
    pub(crate) cancellations: BTreeMap<u32, u32>,
    pub(crate) invoices: BTreeMap<u32, u32>,
    pub(crate) payments: Vec<Payment>,
}

#[derive(Clone, Debug)]
pub(crate) struct Payment {
    pub(crate) order: u32,
    pub(crate) holder: String,
    pub(crate) card: String,
}

/// A running site; dropping it stops it.
pub(crate) struct Site {
    port: u16,
    shop: Arc<Shop>,
    server: JoinHandle<()>,
}

struct Shop {
    port: u16,
    session: String,
    counters: Mutex<Counters>,
}

impl Site {
    pub(crate) async fn start() -> std::io::Result<Site> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let session = format!("{:032x}", session_number()?);
        let shop = Arc::new(Shop { port, session, counters: Mutex::default() });
        let routes = routes().with_state(shop.clone());
        let server = tokio::spawn(async move {
            // Ends only with the task; a listener on loopback has no error that one could answer.
            let _ = axum::serve(listener, routes).await;
        });
        Ok(Site { port, shop, server })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn counters(&self) -> Counters {
        self.shop.counters().clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shop {
    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signed_in(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        cookies.split("; ").any(|cookie| cookie.strip_prefix("session=") == Some(&self.session))
    }

    fn cancelled(&self, order: &Order) -> u32 {
        self.counters().cancellations.get(&order.number).copied().unwrap_or(0)
    }
}

fn session_number() -> std::io::Result<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(u128::from_le_bytes(bytes))
}

fn routes() -> Router<Arc<Shop>> {
    Router::new()
        .route("/", get(|| async { Redirect::to("/login") }))
        .route("/style.css", get(style))
        .route("/login", get(|| async { login_page(false) }).post(login))
        .route("/orders", get(orders))
        .route("/orders/{number}", get(order))
        .route("/orders/{number}/invoice.pdf", get(invoice))
        .route("/checkout/{number}", get(checkout))
        .route("/pay/{number}", get(pay_form))
        .route("/api/orders", get(order_list))
        .route("/api/orders/{number}/cancel", post(cancel))
        .route("/api/stock", get(stock))
        .route("/api/suggestions", get(|| async { StatusCode::SERVICE_UNAVAILABLE }))
        .route("/api/pay/{number}", post(pay))
}

/// Why a request is not served.
enum Refusal {
    SignIn,
    NoSuchOrder,
    Conflict,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Refusal::SignIn => Redirect::to("/login").into_response(),
            Refusal::NoSuchOrder => (StatusCode::NOT_FOUND, "There is no such order.").into_response(),
            Refusal::Conflict => (StatusCode::CONFLICT, "The order is not open.").into_response(),
        }
    }
}

async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("pages/style.css"))
}

#[derive(Deserialize)]
struct Login {
    email: String,
    password: String,
}

async fn login(State(shop): State<Arc<Shop>>, Form(form): Form<Login>) -> Response {
    if form.email != EMAIL || form.password != PASSWORD {
        return (StatusCode::UNAUTHORIZED, login_page(true)).into_response();
    }
    shop.counters().logins += 1;
    let cookie = format!("session={}; Path=/; HttpOnly; SameSite=Lax", shop.session);
    ([(header::SET_COOKIE, cookie)], Redirect::to("/orders")).into_response()
}

fn login_page(refused: bool) -> Html<String> {
    fill(include_str!("pages/login.html"), &[("hidden", hidden(!refused))])
}

async fn orders(State(shop): State<Arc<Shop>>, headers: HeaderMap) -> Result<Html<&'static str>, Refusal> {
    known(&shop, &headers)?;
    Ok(Html(include_str!("pages/orders.html")))
}

async fn order(
    State(shop): State<Arc<Shop>>,
    Path(number): Path<u32>,
    headers: HeaderMap,
) -> Result<Html<String>, Refusal> {
    known(&shop, &headers)?;
    let order = Order::find(number).ok_or(Refusal::NoSuchOrder)?;
    let count = shop.cancelled(order);
    let (state, cancellations) = (if count > 0 { "Cancelled" } else { order.state }, count.to_string());
    Ok(order_page(
        include_str!("pages/order.html"),
        order,
        &[("state", state), ("cancellations", &cancellations), ("hidden", hidden(count > 0))],
    ))
}

async fn checkout(
    State(shop): State<Arc<Shop>>,
    Path(number): Path<u32>,
    headers: HeaderMap,
) -> Result<Html<String>, Refusal> {
    known(&shop, &headers)?;
    let order = Order::find(number).ok_or(Refusal::NoSuchOrder)?;
    let pay_origin = format!("http://localhost:{}", shop.port);
    Ok(order_page(include_str!("pages/checkout.html"), order, &[("pay_origin", &pay_origin)]))
}

/// The payment service's form, embedded under the name localhost: another site for the browser, and so a process of
/// its own. The session cookie never gets there.
async fn pay_form(State(shop): State<Arc<Shop>>, Path(number): Path<u32>) -> Result<Html<String>, Refusal> {
    let order = Order::find(number).ok_or(Refusal::NoSuchOrder)?;
    let page_origin = format!("http://127.0.0.1:{}", shop.port);
    Ok(order_page(include_str!("pages/pay.html"), order, &[("page_origin", &page_origin)]))
}

#[derive(Deserialize)]
struct Part {
    page: usize,
}

#[derive(Serialize)]
struct Row {
    number: u32,
    customer: &'static str,
    note: &'static str,
    placed: &'static str,
    total: String,
    state: &'static str,
    kind: &'static str,
}

async fn order_list(
    State(shop): State<Arc<Shop>>,
    Query(part): Query<Part>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    known(&shop, &headers)?;
    tokio::time::sleep(Duration::from_millis(120)).await;
    let row = |order: &Order| {
        let (state, kind) =
            if shop.cancelled(order) > 0 { ("Cancelled", "cancelled") } else { ("Checking", "wait") };
        let Order { number, customer, note, placed, .. } = *order;
        Row { number, customer, note, placed, total: order.total(), state, kind }
    };
    let rows: Vec<Row> = ORDERS.iter().skip(part.page.saturating_mul(PAGE)).take(PAGE).map(row).collect();
    let next = ORDERS.len().div_ceil(PAGE) > part.page.saturating_add(1);
    Ok(Json(json!({ "orders": rows, "next": next.then(|| part.page + 1) })))
}

async fn stock(State(shop): State<Arc<Shop>>, headers: HeaderMap) -> Result<Json<Value>, Refusal> {
    known(&shop, &headers)?;
    tokio::time::sleep(Duration::from_millis(250)).await;
    let open = ORDERS.iter().filter(|order| shop.cancelled(order) == 0);
    let states = open.map(|order| {
        (order.number.to_string(), json!({ "state": order.state, "kind": order.state.to_lowercase() }))
    });
    Ok(Json(Value::Object(states.collect())))
}

async fn cancel(
    State(shop): State<Arc<Shop>>,
    Path(number): Path<u32>,
    headers: HeaderMap,
) -> Result<StatusCode, Refusal> {
    known(&shop, &headers)?;
    let order = Order::find(number).ok_or(Refusal::NoSuchOrder)?;
    // A second one is refused, and counted all the same: the demo wants to know of it.
    let count = {
        let mut counters = shop.counters();
        let count = counters.cancellations.entry(order.number).or_default();
        *count += 1;
        *count
    };
    tokio::time::sleep(Duration::from_millis(350)).await;
    if count > 1 { Err(Refusal::Conflict) } else { Ok(StatusCode::NO_CONTENT) }
}

async fn invoice(
    State(shop): State<Arc<Shop>>,
    Path(number): Path<u32>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Refusal> {
    known(&shop, &headers)?;
    let order = Order::find(number).ok_or(Refusal::NoSuchOrder)?;
    *shop.counters().invoices.entry(order.number).or_default() += 1;
    let names: [(HeaderName, String); 2] = [
        (header::CONTENT_TYPE, "application/pdf".into()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"invoice-{number}.pdf\"")),
    ];
    Ok((names, crate::invoice::pdf(order)))
}

#[derive(Deserialize)]
struct Card {
    holder: String,
    card: String,
}

async fn pay(
    State(shop): State<Arc<Shop>>,
    Path(number): Path<u32>,
    Json(card): Json<Card>,
) -> Result<Json<Value>, Refusal> {
    let order = Order::find(number).ok_or(Refusal::NoSuchOrder)?;
    let receipt = {
        let mut counters = shop.counters();
        counters.payments.push(Payment { order: order.number, holder: card.holder, card: card.card });
        format!("R-{number}-{}", counters.payments.len())
    };
    tokio::time::sleep(Duration::from_millis(400)).await;
    Ok(Json(json!({ "receipt": receipt })))
}

fn known(shop: &Shop, headers: &HeaderMap) -> Result<(), Refusal> {
    if shop.signed_in(headers) { Ok(()) } else { Err(Refusal::SignIn) }
}

fn hidden(yes: bool) -> &'static str {
    if yes { "hidden" } else { "" }
}

fn order_page(template: &str, order: &Order, more: &[(&str, &str)]) -> Html<String> {
    let (number, total) = (order.number.to_string(), order.total());
    let own = [
        ("number", number.as_str()),
        ("customer", order.customer),
        ("placed", order.placed),
        ("total", total.as_str()),
    ];
    let Html(page) = fill(template, &own);
    fill(&page, more)
}

/// Puts values in the place of `{{name}}`. None of them holds markup.
fn fill(template: &str, values: &[(&str, &str)]) -> Html<String> {
    let mut page = template.to_owned();
    for (name, value) in values {
        page = page.replace(&format!("{{{{{name}}}}}"), value);
    }
    Html(page)
}
