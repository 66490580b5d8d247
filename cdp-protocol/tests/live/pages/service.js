// Keeps one answer in a cache, answers for one path, and throws when it is told to.
addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open("files").then((cache) => cache.addAll(["/dot.svg", "/style.css"])));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.url.endsWith("/made-up")) event.respondWith(new Response("made up"));
  else if (event.request.url.endsWith("/dot.svg")) event.respondWith(caches.match("/dot.svg").then((kept) => kept ?? fetch(event.request)));
});
addEventListener("sync", (event) => console.log("sync", event.tag));
addEventListener("push", (event) => console.log("push", event.data?.text()));
addEventListener("message", (event) => {
  console.log("service worker", event.data);
  setTimeout(() => { throw new Error("thrown in the service worker"); });
});
