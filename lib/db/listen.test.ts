import { connect as connectTo, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listen } from "./listen";
import { inTransaction, pool } from "./pool";
import { byLoopback, openTestDatabase } from "./testing/test-database";

const database = await openTestDatabase();
const cleanUps: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function listenAndNote(url = database.url) {
  const events: string[] = [];
  const { stop } = await listen(
    "Some channel",
    {
      onMessage: (payload) => events.push(`message ${payload}`),
      onDown: () => events.push("down"),
      onUp: () => events.push("up"),
    },
    url,
  );
  cleanUps.push(stop);
  return { events, stop };
}

const notify = (payload: string) => pool().query("SELECT pg_notify('Some channel', $1)", [payload]);

/** A proxy to the database that can go silent without closing, like a cut cable. */
async function startProxy() {
  const target = new URL(database.url);
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    const far = connectTo(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (!silent) to.write(bytes);
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        if (!silent) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const url = byLoopback(database.url);
  url.port = String(address.port);
  return {
    url: url.href,
    goSilent: () => {
      silent = true;
    },
    speakAgain: () => {
      silent = false;
    },
  };
}

test("a notice of a committed transaction arrives; that of a rolled-back one does not", async () => {
  const { events } = await listenAndNote();
  await inTransaction(async (transaction) => {
    await transaction.query("SELECT pg_notify('Some channel', 'never')");
    throw new Error("no");
  }).catch(() => undefined);
  await notify("hello");
  await expect.poll(() => events).toEqual(["up", "message hello"]);
});

test("a connection that the server cuts is reported down, reconnected, and receives again", async () => {
  const { events } = await listenAndNote();
  await pool().query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pennyprompt listen' AND datname = current_database()",
  );
  await expect.poll(() => events).toEqual(["up", "down", "up"]);
  await notify("again");
  await expect.poll(() => events.at(-1)).toBe("message again");
});

test("a connection that goes silent without closing is reported down, and recovers when the network does", async () => {
  const proxy = await startProxy();
  const { events } = await listenAndNote(proxy.url);
  proxy.goSilent();
  await notify("missed");
  await expect.poll(() => events).toEqual(["up", "down"]);
  proxy.speakAgain();
  await expect.poll(() => events).toEqual(["up", "down", "up"]);
});

test("an unreachable database is reported down once, and does not keep the caller waiting", async () => {
  const url = new URL(database.url);
  url.pathname = "/there_is_none";
  const { events, stop } = await listenAndNote(url.href);
  expect(events).toEqual(["down"]);
  await stop();
  expect(events).toEqual(["down"]);
});

test("stop reports down, and nothing is received afterwards", async () => {
  const { events, stop } = await listenAndNote();
  await stop();
  await notify("unheard");
  expect(events).toEqual(["up", "down"]);
  await expect
    .poll(
      async () =>
        (
          await pool().query(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = 'pennyprompt listen' AND datname = current_database()",
          )
        ).rowCount,
    )
    .toBe(0);
});
