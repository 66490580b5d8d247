//! Commands that need parameters, as far as a page gives what they need: ids of nodes, frames, scripts, style sheets and so on.
//! Their answers have to be read like all others.

use std::fmt::Write;
use std::time::Duration;

use cdp_protocol::domains::*;
use cdp_protocol::{Event, Events, Session};
use tokio::time::timeout;

use crate::bounded;
use crate::browser::{Browser, evaluate, open};
use crate::listing::answer;
use crate::site::Site;
use crate::sweep::{Outcome, assert_all_read};

/// Sends each command when the answer to the one before is there, and writes a row for it.
macro_rules! ask {
    ($table:ident, $session:expr, $($command:expr),+ $(,)?) => {$(
        let command = $command;
        let outcome = Outcome::of(answer($session, &command)).await;
        let _ = writeln!($table, "{}: {outcome}", method(&command));
    )+};
}

fn method<C: cdp_protocol::Command>(_: &C) -> &'static str {
    C::METHOD
}

/// The first event of this kind that the command or the script behind it brings.
async fn brought<E: Event, C: cdp_protocol::Command>(page: &Session, command: &C, script: &str) -> E {
    let mut events = page.events::<E>();
    page.call(command).await.unwrap();
    page.call(&runtime::Evaluate::new(script)).await.unwrap();
    next(&mut events).await
}

/// The next event, which has to come soon.
async fn next<E: Event>(events: &mut Events<E>) -> E {
    let next = timeout(Duration::from_secs(15), events.next()).await;
    next.unwrap_or_else(|_| panic!("{} does not come", E::METHOD)).unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_page_answers_to_commands_with_its_own_ids_can_be_read() {
    let site = Site::start().await;
    let (_browser, client) = Browser::over_pipe(&[]);
    let table = bounded(async {
        let page = open(&client, &site.url("/")).await.unwrap();
        evaluate(&page, "(async () => { busy.tree(); await busy.storage(); return '' })()").await;
        let mut table = String::new();
        of_the_document(&page, &mut table).await;
        of_the_style(&page, &mut table).await;
        of_scripts(&page, &mut table).await;
        of_the_site(&page, &site, &mut table).await;
        of_the_browser(&client.browser(), &site, &mut table).await;
        table
    })
    .await;
    assert_all_read("given.txt", &table);
    let (asked, read) = (table.lines().count(), table.lines().filter(|row| row.ends_with(": ok")).count());
    assert!(read >= 130, "{read} of {asked} are too few:\n{table}");
}

async fn root_of(page: &Session) -> dom::Node {
    page.call(&dom::Enable::new()).await.unwrap();
    page.call(&dom::GetDocument::new().depth(-1).pierce(true)).await.unwrap().root
}

async fn node(page: &Session, root: &dom::Node, selector: &str) -> dom::NodeId {
    page.call(&dom::QuerySelector::new(root.node_id, selector)).await.unwrap().node_id
}

async fn of_the_document(page: &Session, table: &mut String) {
    let root = root_of(page).await;
    let at = root.node_id;
    let own = node(page, &root, "#own").await;
    let area = node(page, &root, "#area").await;
    let described = page.call(&dom::DescribeNode::new().node_id(own).depth(-1)).await.unwrap().node;
    let backend = described.backend_node_id;
    let object = page.call(&dom::ResolveNode::new().node_id(own)).await.unwrap().object;
    let object = object.object_id.unwrap();
    let tree = page.call(&page::GetFrameTree::new()).await.unwrap().frame_tree;
    let frame = tree.frame.id.clone();
    let child = tree.child_frames.unwrap()[0].frame.id.clone();
    let search = page.call(&dom::PerformSearch::new("p").include_user_agent_shadow_dom(true)).await.unwrap();
    let wanted = dom::CssComputedStyleProperty::new("display", "grid");
    let highlight = overlay::HighlightConfig::new().show_info(true);
    let accessible = page.call(&accessibility::GetFullAxTree::new()).await.unwrap().nodes;
    ask!(
        table,
        page,
        dom::GetAttributes::new(own),
        dom::GetOuterHtml::new().node_id(at).include_shadow_dom(true),
        dom::GetBoxModel::new().node_id(own),
        dom::GetContentQuads::new().node_id(own),
        dom::GetNodeForLocation::new(20, 20),
        dom::GetNodesForSubtreeByStyle::new(at, vec![wanted]),
        dom::GetRelayoutBoundary::new(own),
        dom::GetSearchResults::new(search.search_id.clone(), 0, 1),
        dom::DiscardSearchResults::new(search.search_id),
        dom::QuerySelectorAll::new(at, "p"),
        dom::CollectClassNamesFromSubtree::new(at),
        dom::GetFrameOwner::new(child.clone()),
        dom::GetContainerForNode::new(node(page, &root, ".inner").await),
        dom::GetQueryingDescendantsForContainer::new(node(page, &root, ".boxed").await),
        dom::GetAnchorElement::new(own),
        dom::PushNodesByBackendIdsToFrontend::new(vec![backend]),
        dom::RequestNode::new(object.clone()),
        dom::SetNodeStackTracesEnabled::new(true),
        dom::GetNodeStackTraces::new(own),
        dom::GetDetachedDomNodes::new(),
        dom::SetAttributeValue::new(own, "title", "a"),
        dom::CopyTo::new(own, area),
        dom_debugger::GetEventListeners::new(object.clone()).depth(-1).pierce(true),
        dom_snapshot::CaptureSnapshot::new(vec!["color".to_owned(), "display".to_owned()])
            .include_paint_order(true)
            .include_dom_rects(true)
            .include_text_color_opacities(true),
        dom_snapshot::GetSnapshot::new(vec!["color".to_owned()]).include_event_listeners(true),
        accessibility::Enable::new(),
        accessibility::GetPartialAxTree::new().node_id(own),
        accessibility::GetAxNodeAndAncestors::new().node_id(own),
        accessibility::QueryAxTree::new().node_id(at).role("link"),
        accessibility::GetChildAxNodes::new(accessible[0].node_id.clone()),
        overlay::Enable::new(),
        overlay::GetHighlightObjectForTest::new(own).include_distance(true).include_style(true),
        overlay::GetGridHighlightObjectsForTest::new(vec![node(page, &root, "main").await]),
        overlay::GetSourceOrderHighlightObjectForTest::new(at),
        overlay::HighlightNode::new(highlight).node_id(own),
        runtime::GetProperties::new(object.clone()).own_properties(true).generate_preview(true),
        runtime::CallFunctionOn::new("function() { return [this, 1n, new Map([[1, 2]])] }")
            .object_id(object.clone())
            .generate_preview(true),
        heap_profiler::Enable::new(),
        heap_profiler::GetHeapObjectId::new(object),
        page::CreateIsolatedWorld::new(frame.clone()),
        page::GetPermissionsPolicyState::new(frame.clone()),
        page::GetOriginTrials::new(frame.clone()),
        page::GetAdScriptAncestry::new(frame.clone()),
        page::GetResourceContent::new(frame.clone(), tree.frame.url.clone()),
        page::SearchInResource::new(frame, tree.frame.url, "busy"),
        page::AddScriptToEvaluateOnNewDocument::new("1"),
        page::CaptureScreenshot::new().format(page::CaptureScreenshotFormat::Jpeg),
        dom::MoveTo::new(own, area),
        dom::SetNodeName::new(node(page, &root, "#inner").await, "section"),
        // Forgets the ids of nodes that were given out.
        dom::GetFlattenedDocument::new().depth(-1).pierce(true),
        find_in_page::FindFirst::new("page"),
        find_in_page::FindNext::new(),
        runtime::Evaluate::new("throw new Error('x', { cause: 1 })"),
        runtime::Evaluate::new("({ a: [1, { b: new Date() }], s: Symbol() })").serialization_options(
            runtime::SerializationOptions::new(runtime::SerializationOptionsSerialization::Deep)
        ),
    );
}

async fn of_the_style(page: &Session, table: &mut String) {
    let root = root_of(page).await;
    let own = node(page, &root, "#own").await;
    let mut sheets = page.events::<css::StyleSheetAdded>();
    page.call(&css::Enable::new()).await.unwrap();
    let sheet = loop {
        let header = next(&mut sheets).await.header;
        if header.source_url.ends_with("style.css") {
            break header.style_sheet_id;
        }
    };
    let frame = page.call(&page::GetFrameTree::new()).await.unwrap().frame_tree.frame.id;
    let start = || css::SourceRange::new(0, 0, 0, 0);
    let tree: layer_tree::LayerTreeDidChange =
        brought(page, &layer_tree::Enable::new(), "busy.layers()").await;
    let layer = tree.layers.unwrap().remove(0).layer_id;
    ask!(
        table,
        page,
        layer_tree::CompositingReasons::new(layer),
        css::GetStyleSheetText::new(sheet.clone()),
        css::CollectClassNames::new(sheet.clone()),
        css::GetMatchedStylesForNode::new(own),
        css::GetComputedStyleForNode::new(own),
        css::GetInlineStylesForNode::new(own),
        css::GetAnimatedStylesForNode::new(node(page, &root, "#sliding").await),
        css::GetPlatformFontsForNode::new(own),
        css::GetBackgroundColors::new(own),
        css::GetLayersForNode::new(own),
        css::GetLocationForSelector::new(sheet.clone(), ".boxed"),
        css::GetLonghandProperties::new("margin", "1px 2px"),
        css::ResolveValues::new(vec!["calc(1px + 2px)".to_owned()], own),
        css::ForcePseudoState::new(own, vec!["hover".to_owned()]),
        css::AddRule::new(sheet.clone(), "u { color: red }", start()),
        css::CreateStyleSheet::new(frame),
        css::TrackComputedStyleUpdates::new(vec![css::CssComputedStyleProperty::new("color", "red")]),
        css::StartRuleUsageTracking::new(),
        css::TakeCoverageDelta::new(),
        css::StopRuleUsageTracking::new(),
        css::SetStyleSheetText::new(sheet, "p { color: red } p::before { content: 'x' }"),
    );
    let moving = "get('own').animate({ opacity: [0, 1] }, 1e6)";
    let started: animation::AnimationStarted = brought(page, &animation::Enable::new(), moving).await;
    let moving = started.animation.id;
    ask!(
        table,
        page,
        animation::GetCurrentTime::new(moving.clone()),
        animation::ResolveAnimation::new(moving),
    );
}

async fn of_scripts(page: &Session, table: &mut String) {
    let mut scripts = page.events::<debugger::ScriptParsed>();
    page.call(&debugger::Enable::new()).await.unwrap();
    let script = loop {
        let parsed = next(&mut scripts).await;
        if parsed.url.ends_with("busy.js") {
            break parsed.script_id;
        }
    };
    let start = debugger::Location::new(script.clone(), 10).column_number(0);
    let mut paused = page.events::<debugger::Paused>();
    let pausing =
        page.call(&runtime::Evaluate::new("(function f(local) { debugger; return local })({ a: 1 })"));
    let pause = next(&mut paused).await;
    let call = pause.call_frames[0].call_frame_id.clone();
    let scope = pause.call_frames[0].scope_chain[0].object.object_id.clone().unwrap();
    ask!(
        table,
        page,
        debugger::EvaluateOnCallFrame::new(call.clone(), "local").generate_preview(true),
        debugger::SetVariableValue::new(0, "local", runtime::CallArgument::new(), call.clone()),
        runtime::GetProperties::new(scope),
        debugger::RestartFrame::new(call).mode(debugger::RestartFrameMode::StepInto),
    );
    next(&mut paused).await;
    ask!(table, page, debugger::Resume::new().terminate_on_resume(false),);
    pausing.await.unwrap();
    ask!(
        table,
        page,
        debugger::GetScriptSource::new(script.clone()),
        debugger::SearchInContent::new(script, "busy"),
        debugger::GetPossibleBreakpoints::new(start.clone()),
        debugger::SetBreakpoint::new(start),
        debugger::SetBreakpointByUrl::new(3).url_regex("busy"),
        debugger::SetInstrumentationBreakpoint::new(
            debugger::SetInstrumentationBreakpointInstrumentation::BeforeScriptExecution
        ),
        debugger::SetBreakpointsActive::new(false),
        runtime::Enable::new(),
        runtime::CompileScript::new("1 +", "bad.js", true),
        runtime::GlobalLexicalScopeNames::new(),
        profiler::Enable::new(),
        profiler::StartPreciseCoverage::new().call_count(true).detailed(true),
        profiler::TakePreciseCoverage::new(),
        profiler::Start::new(),
        runtime::Evaluate::new("for (let n = 0; n < 1e5; n++) busy[n % 7]"),
        profiler::Stop::new(),
        heap_profiler::StartSampling::new(),
        heap_profiler::GetSamplingProfile::new(),
        heap_profiler::StopSampling::new(),
    );
    let prototype =
        page.call(&runtime::Evaluate::new("Map.prototype")).await.unwrap().result.object_id.unwrap();
    let error = page.call(&runtime::Evaluate::new("new Error('e')")).await.unwrap().result.object_id.unwrap();
    let promise =
        page.call(&runtime::Evaluate::new("Promise.reject(1)")).await.unwrap().result.object_id.unwrap();
    ask!(
        table,
        page,
        runtime::QueryObjects::new(prototype),
        runtime::GetExceptionDetails::new(error),
        runtime::AwaitPromise::new(promise),
    );
}

async fn of_the_site(page: &Session, site: &Site, table: &mut String) {
    let origin = format!("http://localhost:{}", site.port);
    let frame = page.call(&page::GetFrameTree::new()).await.unwrap().frame_tree.frame.id;
    let key = page.call(&storage::GetStorageKey::new().frame_id(frame.clone())).await.unwrap().storage_key;
    let key = key.as_str().to_owned();
    let stored = dom_storage::StorageId::new(true).storage_key(key.clone());
    ask!(
        table,
        page,
        network::Enable::new(),
        network::GetCookies::new().urls(vec![origin.clone()]),
        network::GetSecurityIsolationStatus::new().frame_id(frame.clone()),
        network::SetCookie::new("set", "1").url(origin.clone()),
        network::FetchSchemefulSite::new(origin.clone()),
        network::LoadNetworkResource::new(
            site.url("/data"),
            network::LoadNetworkResourceOptions::new(true, false)
        )
        .frame_id(frame),
        storage::GetUsageAndQuota::new(origin.clone()),
        dom_storage::Enable::new(),
        dom_storage::GetDomStorageItems::new(stored),
        indexed_db::Enable::new(),
        indexed_db::RequestDatabaseNames::new().storage_key(key.clone()),
        indexed_db::RequestDatabase::new("base").storage_key(key.clone()),
        indexed_db::RequestData::new("base", "things", 0, 10).storage_key(key.clone()),
        indexed_db::GetMetadata::new("base", "things").storage_key(key.clone()),
        web_authn::Enable::new(),
    );
    evaluate(page, "caches.open('kept').then(c => c.put('/kept', new Response('x'))).then(() => '')").await;
    let caches = page.call(&cache_storage::RequestCacheNames::new().storage_key(key)).await.unwrap().caches;
    let cache = caches.into_iter().find(|cache| cache.cache_name == "kept").unwrap().cache_id;
    let entries = cache_storage::RequestEntries::new(cache.clone());
    let entry = page.call(&entries).await.unwrap().cache_data_entries.remove(0);
    let mut received = page.events::<network::LoadingFinished>();
    evaluate(page, "fetch('/data', { method: 'POST', body: 'sent' }).then(a => a.text())").await;
    let request = next(&mut received).await.request_id;
    let options = web_authn::VirtualAuthenticatorOptions::new(
        web_authn::AuthenticatorProtocol::Ctap2,
        web_authn::AuthenticatorTransport::Internal,
    );
    let authenticator = options.has_resident_key(true).has_user_verification(true).is_user_verified(true);
    let authenticator = page.call(&web_authn::AddVirtualAuthenticator::new(authenticator)).await.unwrap();
    evaluate(page, "busy.keys().then(() => '')").await;
    ask!(
        table,
        page,
        cache_storage::RequestEntries::new(cache.clone()),
        cache_storage::RequestCachedResponse::new(cache, entry.request_url, vec![]),
        network::GetResponseBody::new(request.clone()),
        network::GetRequestPostData::new(request.clone()),
        network::SearchInResponseBody::new(request, "some"),
        web_authn::GetCredentials::new(authenticator.authenticator_id),
        page::GetAppManifest::new(),
        page::GetInstallabilityErrors::new(),
        page::GetNavigationHistory::new(),
        performance::GetMetrics::new(),
    );
}

async fn of_the_browser(root: &Session, site: &Site, table: &mut String) {
    let url = site.url("/empty");
    let context = root.call(&target::CreateBrowserContext::new()).await.unwrap().browser_context_id;
    let made = root.call(&target::CreateTarget::new(url).browser_context_id(context.clone())).await.unwrap();
    let window = browser::GetWindowForTarget::new().target_id(made.target_id.clone());
    let window = root.call(&window).await.unwrap().window_id;
    ask!(
        table,
        root,
        target::GetTargetInfo::new().target_id(made.target_id.clone()),
        target::GetTargets::new(),
        target::GetBrowserContexts::new(),
        browser::GetWindowBounds::new(window),
        browser::GetHistograms::new().query("Memory"),
        storage::GetCookies::new(),
        system_info::GetInfo::new(),
        system_info::GetProcessInfo::new(),
        target::AttachToTarget::new(made.target_id.clone()).flatten(true),
        target::CloseTarget::new(made.target_id),
        target::DisposeBrowserContext::new(context),
    );
}
