//! Downloads: awaited as an event of what triggers them, whole, and never outside their folder.

use engine::{ErrorKind, Role};

use crate::harness::{Env, Outcome, tests};

tests![
    a_download_has_its_name_and_all_its_bytes,
    a_name_from_the_network_stays_inside_the_folder,
    a_download_of_a_blob_works,
    a_download_in_a_new_tab_works,
    a_download_that_breaks_off_is_an_error,
];

/// Bytes that no encoding leaves alone.
fn content(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 7 + n / 251) as u8).collect()
}

fn attachment(name: &str) -> String {
    format!("attachment; filename=\"{name}\"")
}

async fn a_download_has_its_name_and_all_its_bytes(env: &Env) -> Outcome {
    let bytes = content(700_001);
    env.site.file("/file", &[("content-disposition", &attachment("Invoice 7.bin"))], bytes.clone());
    env.open("<a href=/file>Invoice</a>").await?;
    let link = env.page.get_by_role(Role::Link.named("Invoice"));
    let download = env.page.expect_download(|| link.click()).await?;
    assert_eq!(download.suggested_filename(), "Invoice 7.bin");
    assert_eq!(download.url(), env.site.url("/file"));
    let path = download.path().await?;
    assert!(path.starts_with(env.browser.process().expect("it was launched").scratch()), "{path:?}");
    assert_eq!(tokio::fs::read(&path).await?, bytes);
    let folder = env.browser.process().expect("it was launched").scratch().join("saved-by-a-test");
    let saved = folder.join("copy.bin");
    download.save_as(&saved).await?;
    assert_eq!(tokio::fs::read(&saved).await?, bytes);
    assert_eq!(std::fs::read_dir(&folder)?.count(), 1, "no partial file beside it");
    std::fs::remove_dir_all(&folder)?;
    assert_eq!(env.site.hits("/file"), 1);
    Ok(())
}

async fn a_name_from_the_network_stays_inside_the_folder(env: &Env) -> Outcome {
    for (n, name) in
        ["../../../evil.txt", "..\\..\\evil.txt", "/etc/evil.txt", "a/b/evil.txt"].iter().enumerate()
    {
        let path = format!("/file{n}");
        env.site.file(&path, &[("content-disposition", &attachment(&name.replace('\\', "\\\\")))], "x");
        env.open(&format!("<a href={path}>Get</a>")).await?;
        let link = env.page.get_by_role(Role::Link);
        let download = env.page.expect_download(|| link.click()).await?;
        let suggested = download.suggested_filename();
        assert!(!suggested.contains(['/', '\\']) && !suggested.starts_with('.'), "{suggested:?} of {name:?}");
        let file = download.path().await?.canonicalize()?;
        assert!(
            file.starts_with(env.browser.process().expect("it was launched").scratch().canonicalize()?),
            "{file:?}"
        );
    }
    Ok(())
}

async fn a_download_of_a_blob_works(env: &Env) -> Outcome {
    env.open(
        "<a download=made.csv>Export</a><script>
        document.querySelector('a').href = URL.createObjectURL(new Blob(['a;b\\n1;2\\n'], { type: 'text/csv' }))
        </script>",
    )
    .await?;
    let link = env.page.get_by_text("Export");
    let download = env.page.expect_download(|| link.click()).await?;
    assert_eq!(download.suggested_filename(), "made.csv");
    assert_eq!(tokio::fs::read_to_string(download.path().await?).await?, "a;b\n1;2\n");
    Ok(())
}

async fn a_download_in_a_new_tab_works(env: &Env) -> Outcome {
    env.site.file("/file", &[("content-disposition", &attachment("tab.txt"))], "tab");
    env.open("<a href=/file target=_blank>Get</a>").await?;
    let link = env.page.get_by_text("Get");
    let download = env.page.expect_download(|| link.click()).await?;
    assert_eq!(download.suggested_filename(), "tab.txt");
    assert_eq!(tokio::fs::read(download.path().await?).await?, b"tab");
    Ok(())
}

async fn a_download_that_breaks_off_is_an_error(env: &Env) -> Outcome {
    // More is announced than comes.
    let url = crate::site::broken_download(&env.servers).await?;
    env.open(&format!("<a href={url}>Get</a>")).await?;
    let link = env.page.get_by_text("Get");
    let download = env.page.expect_download(|| link.click()).await?;
    let error = download.path().await.expect_err("it never comes whole");
    assert_eq!(error.kind(), ErrorKind::Download, "{error}");
    Ok(())
}
