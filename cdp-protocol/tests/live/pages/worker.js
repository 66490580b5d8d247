// A dedicated or a shared worker: answers what it is sent, and now and then tells of itself.
const tell = (port) => {
  port.onmessage = async ({ data }) => {
    console.log("worker", data, { deep: [1, { two: 2n }] });
    if (data === "throw") throw new Error("thrown in a worker");
    const answer = await fetch("/data?from-worker").then((answer) => answer.json());
    port.postMessage({ data, answer });
  };
};
if ("onconnect" in self) self.onconnect = ({ ports }) => tell(ports[0]);
else tell(self);
//# sourceURL=worker.js
