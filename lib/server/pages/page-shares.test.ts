// Renders at once: of one network, of one session, and for whom there is still room.

import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { PageShares } from "./page-shares";

/** A request for a page; `leave` is its client going away. */
function request(address: string, { url = "/overview", cookie = "", accept = "text/html", method = "GET" } = {}) {
  const message = Object.assign(new IncomingMessage(new Socket()), { method, url });
  Object.assign(message.headers, { "x-client-address": address, cookie, accept });
  const response = new ServerResponse(message);
  return { message, response, leave: () => EventEmitter.prototype.emit.call(response, "close") };
}

const settle = () => new Promise((done) => setImmediate(done));

/** Takes places for these requests; resolves with how many were given at once. */
async function countGiven(shares: PageShares, requests: ReturnType<typeof request>[]): Promise<number> {
  let given = 0;
  for (const { message, response } of requests) void shares.take(message, response).then((giveBack) => giveBack && given++);
  await settle();
  return given;
}

const session = (name: string) => ({ cookie: `${sessionCookieName()}=${name}` });

test("a network has half of the places, a session three", async () => {
  const shares = new PageShares();
  const many = Array.from({ length: 20 }, () => request("192.0.2.1"));
  expect(await countGiven(shares, many)).toBe(4);
  expect(await countGiven(shares, [request("192.0.2.2")])).toBe(1);
  const one = new PageShares();
  expect(
    await countGiven(
      one,
      Array.from({ length: 20 }, () => request("192.0.2.1", session("a"))),
    ),
  ).toBe(3);
});

test("whoever makes up a thousand sessions takes nobody's place", async () => {
  const shares = new PageShares();
  expect(
    await countGiven(
      shares,
      Array.from({ length: 1_000 }, (_, name) => request("192.0.2.1", session(`${name}`))),
    ),
  ).toBe(4);
  expect(
    await countGiven(
      shares,
      Array.from({ length: 3 }, () => request("192.0.2.2", session("real"))),
    ),
  ).toBe(3);
});

test("a client that leaves while it waits gives its turn away", async () => {
  const shares = new PageShares();
  const waiting = Array.from({ length: 8 }, () => request("192.0.2.1"));
  expect(await countGiven(shares, waiting)).toBe(4);
  for (const { leave } of waiting.slice(4)) leave();
  expect(await shares.take(request("192.0.2.3").message, request("192.0.2.3").response)).not.toBeNull();
});

test.each([{ url: "/_next/static/chunks/a.js" }, { url: "/api/auth/session" }, { url: "/account/events?after=1" }, { method: "POST" }])(
  "what renders nothing is not counted: %o",
  async (given) => {
    const shares = new PageShares();
    expect(
      await countGiven(
        shares,
        Array.from({ length: 50 }, () => request("192.0.2.1", given)),
      ),
    ).toBe(50);
  },
);

test("a page is counted whatever its client says that it accepts", async () => {
  const pages = Array.from({ length: 50 }, () => request("192.0.2.1", { accept: "text/html, text/event-stream" }));
  expect(await countGiven(new PageShares(), pages)).toBe(4);
});
