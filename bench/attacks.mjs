// The attacks of abuse.mjs, in a thread of the attacker's own.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { name, origin, emptyKeys, headers } = workerData;

/** Repeats `attack` on so many connections. The bench ends it with a message, and gets the number of attacks back. */
function repeat(connections, attack) {
  let isOver = false;
  let count = 0;
  const run = async () => {
    while (!isOver) {
      await attack().catch(() => sleep(50)); // a refusal or a cut connection is an answer, too
      count += 1;
    }
  };
  const running = Promise.all(Array.from({ length: connections }, run));
  parentPort.once("message", async () => {
    isOver = true;
    await running;
    parentPort.postMessage(count);
  });
}

const post = async (path, more, body) => {
  const answer = await fetch(origin + path, {
    method: "POST",
    headers: { ...headers, ...more },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  await answer.arrayBuffer();
};

/** Bodies of 31 MB with thirty images whose header never comes, with the keys of accounts that have nothing. */
function sendImages() {
  const zeros = `data:image/jpeg;base64,${Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.alloc(775_000)]).toString("base64")}`;
  const content = Array.from({ length: 30 }, () => ({ type: "image_url", image_url: { url: zeros } }));
  const body = Buffer.from(JSON.stringify({ model: "gpt-5.4", max_tokens: 16, messages: [{ role: "user", content }] }));
  let next = 0;
  repeat(3, () => post("/api/v1/chat/completions", { authorization: `Bearer ${emptyKeys[next++ % emptyKeys.length]}` }, body));
}

/** The dearest public page, without signing in. */
function loadPages() {
  let next = 0;
  repeat(4, async () => {
    const answer = await fetch(`${origin}/docs/api${next++ % 2 ? `?${next}` : ""}`, { signal: AbortSignal.timeout(20_000) });
    await answer.arrayBuffer();
  });
}

/** A header of 15 kB that a regex read again from each of its characters. */
function sendUserAgents() {
  const agent = "Version/1 ".repeat(1_500);
  repeat(4, () => post("/keys", { origin, "user-agent": agent }, "{}"));
}

/** The first request of Java's own client. */
function offerUpgrades() {
  const { port, hostname } = new URL(origin);
  const offer = "connection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQ";
  repeat(4, () => {
    const socket = connect(Number(port), hostname);
    socket.write(`GET /api/health HTTP/1.1\r\nhost: x\r\n${offer}\r\n\r\n`);
    return new Promise((resolve, reject) => {
      socket.once("data", (bytes) => (bytes.toString().startsWith("HTTP/1.1 200 ") ? resolve() : reject(new Error("not answered"))));
      socket.once("error", reject).once("close", () => reject(new Error("closed unanswered")));
    });
  });
}

const attacks = { images: sendImages, pages: loadPages, "user agents": sendUserAgents, upgrades: offerUpgrades };
attacks[name]();
