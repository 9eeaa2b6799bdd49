import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { runningPostgresUrl, startEmbeddedPostgres } from "./embedded";
import { findProcessIdentity } from "./embedded/processes";
import { cleanUpEmbedded, newDataDir, newInstallation, queryOnce, startChild } from "./testing/embedded-fixture";
import { byLoopback } from "./testing/test-database";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

vi.setConfig({ testTimeout: 120_000 }); // a dozen clusters are created here, and initdb is slow on a busy disk
afterEach(cleanUpEmbedded);

/** For tests that cut no power: without it initdb waits for the disk. */
const settings = { fsync: "off" };

const gone = (pid: number) => findProcessIdentity(pid) === undefined;

async function settingsOf(url: string, names: string[]) {
  const rows = await queryOnce(url, `SELECT name, setting FROM pg_settings WHERE name IN ('${names.join("', '")}')`);
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

test("committed data is there after a stop and a start, at the same port", async () => {
  const dataDir = newDataDir({ prepared: true });
  const first = await startEmbeddedPostgres({ dataDir });
  await queryOnce(first.url, "CREATE TABLE kept AS SELECT 7 AS number");
  await first.stop();
  await first.exited;
  expect(gone(first.pid)).toBe(true);
  const second = await startEmbeddedPostgres({ dataDir });
  expect(second.url).toBe(first.url);
  expect(await queryOnce(second.url, "SELECT number FROM kept")).toEqual([{ number: 7 }]);
  await second.stop();
});

test("it is durable, uses UTF-8, and accepts its password only, on its socket and on loopback", async () => {
  const dataDir = newDataDir();
  const server = await startEmbeddedPostgres({ dataDir });
  expect(
    await settingsOf(server.url, [
      "fsync",
      "synchronous_commit",
      "full_page_writes",
      "listen_addresses",
      "unix_socket_directories",
      "server_encoding",
    ]),
  ).toEqual({
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: dataDir,
    server_encoding: "UTF8",
  });
  expect(statSync(join(dataDir, "password")).mode & 0o777).toBe(0o600);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  const wrong = new URL(server.url);
  wrong.password = "guess";
  await expect(queryOnce(wrong.href, "SELECT 1")).rejects.toThrow("password authentication failed");
  await expect(queryOnce(byLoopback(wrong.href).href, "SELECT 1")).rejects.toThrow("password authentication failed");
  expect(await queryOnce(server.url, "SELECT inet_server_addr() AS address")).toEqual([{ address: null }]);
  expect(await queryOnce(byLoopback(server.url).href, "SELECT host(inet_server_addr()) AS address")).toEqual([{ address: "127.0.0.1" }]);
  await server.stop();
});

test("a setting of the caller wins over ours", async () => {
  const server = await startEmbeddedPostgres({
    dataDir: newDataDir({ prepared: true }),
    settings: { fsync: "off", max_connections: "33" },
  });
  expect(await settingsOf(server.url, ["fsync", "max_connections"])).toEqual({ fsync: "off", max_connections: "33" });
  await server.stop();
});

test("a second start on a directory in use is refused, in this process and in another, and does no harm", async () => {
  const dataDir = newDataDir({ prepared: true });
  const server = await startEmbeddedPostgres({ dataDir, settings });
  await expect(startEmbeddedPostgres({ dataDir, settings })).rejects.toThrow("already in use by this very process");
  const { report } = await startChild(dataDir);
  expect(report).toEqual({ error: expect.stringContaining(`already in use by process ${process.pid}. Stop that one first`) });
  expect(await queryOnce(server.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test("runningPostgresUrl returns a running database's address if its password can be read, and nothing once it is stopped", async () => {
  const dataDir = newDataDir({ prepared: true });
  expect(await runningPostgresUrl(dataDir)).toBeUndefined();
  const child = await startChild(dataDir);
  if ("error" in child.report) throw new Error(child.report.error);
  expect(await runningPostgresUrl(dataDir)).toBe(child.report.url);
  await child.order("stop");
  expect(await runningPostgresUrl(dataDir)).toBeUndefined();
});

test("of two processes that start at once on a new directory, one serves and the other is refused", async () => {
  const dataDir = newDataDir();
  const children = await Promise.all([startChild(dataDir), startChild(dataDir)]);
  expect(children.map(({ report }) => "error" in report).sort()).toEqual([false, true]);
});

test("PostgreSQL recovers committed data after it was killed", async () => {
  const dataDir = newDataDir({ prepared: true });
  const first = await startEmbeddedPostgres({ dataDir });
  await queryOnce(first.url, "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number");
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  await first.stop();
  const second = await startEmbeddedPostgres({ dataDir });
  expect(await queryOnce(second.url, "SELECT count(*)::int FROM kept")).toEqual([{ count: 1000 }]);
  await second.stop();
});

test("a server whose parent was killed is stopped by the next start, which keeps its data", async () => {
  const dataDir = newDataDir({ prepared: true });
  const child = await startChild(dataDir, { durable: true });
  if ("error" in child.report) throw new Error(child.report.error);
  await queryOnce(child.report.url, "CREATE TABLE kept AS SELECT 7 AS number");
  await child.kill();
  expect(gone(child.report.pid)).toBe(false);
  const messages: string[] = [];
  const server = await startEmbeddedPostgres({ dataDir, log: (message) => messages.push(message) });
  expect(gone(child.report.pid)).toBe(true);
  expect(messages).toEqual([`stopping the PostgreSQL (process ${child.report.pid}) that an earlier run left behind`]);
  expect(await queryOnce(server.url, "SELECT number FROM kept")).toEqual([{ number: 7 }]);
  await server.stop();
});

test("the next start recovers from a parent and a server that were both killed during a session's work", async () => {
  const dataDir = newDataDir({ prepared: true });
  const child = await startChild(dataDir, { durable: true });
  if ("error" in child.report) throw new Error(child.report.error);
  await queryOnce(child.report.url, "CREATE TABLE kept AS SELECT 7 AS number");
  const { url, pid } = child.report;
  const atWork = queryOnce(url, "SELECT pg_sleep(60)").catch((error: Error) => error);
  await expect.poll(() => queryOnce(url, "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")).toHaveLength(1);
  await child.kill();
  process.kill(pid, "SIGKILL");
  const server = await startEmbeddedPostgres({ dataDir });
  expect(await atWork).toBeInstanceOf(Error);
  expect(await queryOnce(server.url, "SELECT number FROM kept")).toEqual([{ number: 7 }]);
  await server.stop();
});

test("a process that ends without stopping the server ends the server too", async () => {
  const child = await startChild(newDataDir({ prepared: true }));
  if ("error" in child.report) throw new Error(child.report.error);
  const { pid } = child.report;
  await child.order("exit");
  await expect.poll(() => gone(pid)).toBe(true);
});

describe("leftovers of a killed run in the directory", () => {
  let other: ChildProcess | undefined;
  afterEach(() => other?.kill("SIGKILL"));

  test("a pid file whose number now belongs to another program does not prevent the start", async () => {
    const dataDir = newDataDir({ prepared: true });
    await (await startEmbeddedPostgres({ dataDir, settings })).stop();
    const { uid, gid } = statSync(join(dataDir, "cluster"));
    other = spawn("sleep", ["1000"], isRoot ? { uid, gid } : {}); // PostgreSQL refuses to start only for a process of its own user
    const pidFile = join(dataDir, "cluster/postmaster.pid");
    writeFileSync(pidFile, `${other.pid}\n${join(dataDir, "cluster")}\n1\n5432\n\n127.0.0.1\n1 1\nready   \n`);
    const port = readFileSync(join(dataDir, "port"), "utf8");
    writeFileSync(join(dataDir, `.s.PGSQL.${port}.lock`), `${other.pid}\n${join(dataDir, "cluster")}\n1\n${port}\n${dataDir}\n`);
    writeFileSync(join(dataDir, `.s.PGSQL.${port}`), "");
    const server = await startEmbeddedPostgres({ dataDir, settings });
    expect(new URL(server.url).search).toBe(`?host=${dataDir}`);
    await server.stop();
    expect(other.exitCode).toBeNull();
  });

  test("an empty pid file does not prevent the start", async () => {
    const dataDir = newDataDir({ prepared: true });
    await (await startEmbeddedPostgres({ dataDir, settings })).stop();
    writeFileSync(join(dataDir, "cluster/postmaster.pid"), "");
    await (await startEmbeddedPostgres({ dataDir, settings })).stop();
  });

  test("an owner lock whose number now belongs to another program does not prevent the start", async () => {
    const dataDir = newDataDir({ prepared: true });
    writeFileSync(join(dataDir, "owner"), `${process.pid} of another boot`);
    await (await startEmbeddedPostgres({ dataDir, settings })).stop();
    expect(existsSync(join(dataDir, "owner"))).toBe(false);
  });

  test("a half-created cluster is created anew", async () => {
    const dataDir = newDataDir();
    mkdirSync(join(dataDir, "cluster.new/base"), { recursive: true });
    await (await startEmbeddedPostgres({ dataDir, settings })).stop();
  });
});

test("a port taken by another program is replaced, and the new one is remembered", async () => {
  const dataDir = newDataDir({ prepared: true });
  const first = await startEmbeddedPostgres({ dataDir, settings });
  await first.stop();
  const taken = Number(new URL(first.url).port);
  const thief = createServer().listen(taken, "127.0.0.1");
  try {
    const second = await startEmbeddedPostgres({ dataDir, settings });
    const port = Number(new URL(second.url).port);
    expect(port).not.toBe(taken);
    expect(readFileSync(join(dataDir, "port"), "utf8")).toBe(String(port));
    await second.stop();
  } finally {
    thief.close();
  }
});

test("a server that cannot start reports the reason with the end of its log, and leaves the directory free", async () => {
  const dataDir = newDataDir({ prepared: true });
  await expect(startEmbeddedPostgres({ dataDir, settings: { shared_buffers: "much" } })).rejects.toThrow(
    /did not start[\s\S]*shared_buffers/,
  );
  await (await startEmbeddedPostgres({ dataDir, settings })).stop();
});

describe.skipIf(!isRoot)("started by root", () => {
  test("it runs as the owner of its files, who is not root", async () => {
    const dataDir = newDataDir({ prepared: true });
    const server = await startEmbeddedPostgres({ dataDir, settings });
    const { uid } = statSync(`/proc/${server.pid}`);
    expect(uid).not.toBe(0);
    expect(statSync(join(dataDir, "cluster")).uid).toBe(uid);
    await server.stop();
  });

  test("files of an ordinary user are served as that user, in a directory that only they can enter", async () => {
    const dataDir = newDataDir({ owner: nobody, parentMode: 0o700, prepared: true });
    const child = await startChild(dataDir, { uid: nobody });
    if ("error" in child.report) throw new Error(child.report.error);
    await child.order("stop");
    const server = await startEmbeddedPostgres({ dataDir, settings });
    expect(statSync(`/proc/${server.pid}`).uid).toBe(nobody);
    await server.stop();
  });

  test("when PostgreSQL's user may not enter the checkout, programs and data are kept where it may", async () => {
    const { child: program } = newInstallation(0o700);
    const dataDir = newDataDir({ parentMode: 0o700 });
    const first = await startChild(dataDir, { program });
    if ("error" in first.report) throw new Error(first.report.error);
    expect(first.report.log).toContainEqual(
      expect.stringMatching(/^PostgreSQL runs as \w+, who may not enter .*: its files are kept at \//),
    );
    await queryOnce(first.report.url, "CREATE TABLE kept AS SELECT 7 AS number");
    await first.order("stop");
    const second = await startChild(dataDir, { program });
    if ("error" in second.report) throw new Error(second.report.error);
    expect(await queryOnce(second.report.url, "SELECT number FROM kept")).toEqual([{ number: 7 }]);
    await second.order("stop");
  });
});

describe.skipIf(!isRoot)("started by an ordinary user", () => {
  test("it runs as that user and is stopped by them", async () => {
    const child = await startChild(newDataDir({ owner: nobody, prepared: true }), { uid: nobody });
    if ("error" in child.report) throw new Error(child.report.error);
    const { pid } = child.report;
    expect(statSync(`/proc/${pid}`).uid).toBe(nobody);
    await child.order("stop");
    expect(gone(pid)).toBe(true);
  });

  test("a server whose parent was killed is stopped by their next start", async () => {
    const dataDir = newDataDir({ owner: nobody, prepared: true });
    const first = await startChild(dataDir, { uid: nobody });
    if ("error" in first.report) throw new Error(first.report.error);
    await first.kill();
    const second = await startChild(dataDir, { uid: nobody });
    expect(second.report).toMatchObject({ log: [expect.stringContaining("left behind")] });
    expect(gone(first.report.pid)).toBe(true);
  });

  test("files of another user are refused, with what to do", async () => {
    const dataDir = newDataDir({ prepared: true });
    await (await startEmbeddedPostgres({ dataDir, settings })).stop();
    const { report } = await startChild(dataDir, { uid: nobody });
    expect(report).toEqual({ error: expect.stringMatching(/belongs to \w+: start as that user or as root/) });
  });

  test("missing links of the programs are created; where that is impossible, in a copy of the programs", async () => {
    const { child: program, links } = newInstallation(0o755);
    const asOrdinary = await startChild(newDataDir({ owner: nobody, prepared: true }), { program, uid: nobody });
    expect(asOrdinary.report).toMatchObject({ log: [expect.stringContaining("copying PostgreSQL's programs to ")] });
    expect(links()).toBe(false);
    const asRoot = await startChild(newDataDir({ prepared: true }), { program });
    expect(asRoot.report).toMatchObject({ log: [] });
    expect(links()).toBe(true);
  });
});
