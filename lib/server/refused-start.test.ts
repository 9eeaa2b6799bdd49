// Starts that cannot succeed: each ends with code 1, names the setting at fault and what to write, shows no stack, and leaves
// nothing running.

import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byLoopback, createTestDatabase, type TestDatabase } from "@/lib/db/testing/test-database";
import { databaseProblem, dataDirProblem, listenProblem } from "./start-problem";
import { bundleService, childrenOf, cleanUpServices, newDataDir, onCleanUp, runCheckLedger, startService, until } from "./testing/service";

let bundle: string;
let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  bundle = bundleService();
  database = await createTestDatabase();
  onCleanUp(() => database.drop());
  dataDir = newDataDir();
});
afterAll(cleanUpServices);

/** Starts with these settings; resolves with the output once the start was refused. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const service = startService(bundle, { DATA_DIR: dataDir, DATABASE_URL: database.url, ...settings });
  expect(await service.ended).toEqual({ code: 1, signal: null });
  await until("its children have ended", () => childrenOf(service.pid).length === 0);
  const text = service.output();
  expect(text).not.toMatch(/^ +at .*:\d+:\d+/m);
  return text;
}

/** DATABASE_URL, over TCP, with parts replaced. */
function urlWith(change: (url: URL) => void): string {
  const url = byLoopback(database.url);
  change(url);
  return url.href;
}

test("a port in use is named, with another one to try", async () => {
  const taken = createServer();
  onCleanUp(() => void taken.close());
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  expect(await refusal({ PORT: String(port) })).toContain(
    `Port ${port} is already in use. Stop the other program, or use another port: PORT=${port + 1} npm start`,
  );
});

test("a wrong setting is named, LOG_LEVEL too, and no secret is repeated", async () => {
  const text = await refusal({ PORT: "many", LOG_LEVEL: "loud", KEY_PEPPER: "too-short-a-secret" });
  for (const expected of [/^ {2}PORT: /m, /^ {2}LOG_LEVEL: .*"info"/m, /^ {2}KEY_PEPPER: .*openssl rand/m]) expect(text).toMatch(expected);
  expect(text).not.toContain("too-short-a-secret");
});

test("a sandbox refuses to listen on other interfaces than loopback", async () => {
  expect(await refusal({ HOST: "0.0.0.0" })).toContain("HOST: a sandbox only listens on this machine; remove it, or write 127.0.0.1");
});

describe("DATABASE_URL", () => {
  test.each([
    [
      "a port where nobody listens",
      () => urlWith((url) => (url.port = "1")),
      /no PostgreSQL is running at 127\.0\.0\.1:1\. Start it, or correct the address/,
    ],
    [
      "a socket that does not exist",
      () => urlWith((url) => url.searchParams.set("host", "/nowhere")),
      /no PostgreSQL is running at \/nowhere\/\.s\.PGSQL\.\d+\. Start it, or correct the address/,
    ],
    [
      "a host that does not exist",
      () => urlWith((url) => (url.hostname = "nowhere.invalid")),
      /the host of nowhere\.invalid.* does not exist/,
    ],
    ["a wrong password", () => urlWith((url) => (url.password = "wrong-password")), /rejects user "pennyprompt" or the password/],
    [
      "a database that does not exist",
      () => urlWith((url) => (url.pathname = "/missing")),
      /has no database "missing"\. Create it \(createdb missing\)/,
    ],
  ])("%s: the start and check-ledger say what to do, and repeat no password", async (_, url, expected) => {
    const DATABASE_URL = url();
    const text = await refusal({ DATABASE_URL });
    expect(text).toMatch(expected);
    expect(text).toContain("DATABASE_URL: ");
    expect(text).not.toContain(new URL(DATABASE_URL).password);
    const checked = await runCheckLedger(bundle, { DATABASE_URL });
    expect(checked.code).toBe(1);
    expect(checked.output).toMatch(expected);
  });

  test("every other connection failure has its fix, too", () => {
    const url = "postgresql://penny:secret@db.example/ledger";
    const messageFor = (code: string) => (databaseProblem(Object.assign(new Error("as the driver says"), { code }), url) as Error).message;
    expect(messageFor("ETIMEDOUT")).toContain("db.example:5432 cannot be reached");
    const closed = Object.assign(new Error("connect EACCES /run/db/.s.PGSQL.5432"), { code: "EACCES" });
    expect((databaseProblem(closed, `${url}?host=/run/db`) as Error).message).toContain("this user has no access to /run/db/.s.PGSQL.5432");
    const file = Object.assign(new Error("EACCES: permission denied, open 'migration.sql'"), { code: "EACCES" });
    expect(databaseProblem(file, url)).toBe(file);
    expect(messageFor("42501")).toContain('user "penny" may not create tables in database "ledger"');
    expect(messageFor("53300")).toContain("max_connections");
    expect((databaseProblem(new Error("timeout expired"), url) as Error).message).toContain("does not answer");
    const both = new AggregateError([Object.assign(new Error("connect"), { code: "ECONNREFUSED" })]);
    expect((databaseProblem(both, url) as Error).message).toContain("no PostgreSQL is running at db.example:5432");
    const ours = new Error("This database holds live money");
    expect(databaseProblem(ours, url)).toBe(ours);
  });
});

describe("DATA_DIR", () => {
  test("a path through a file, or a path without write permission, is reported with what to do", async () => {
    const file = join(dataDir, "file");
    writeFileSync(file, "");
    expect(await refusal({ DATA_DIR: join(file, "below"), DATABASE_URL: "" })).toMatch(
      /DATA_DIR=.*below cannot be used: part of the path is a file\. Set it to a writable directory/,
    );
    // Nobody can create directories there, not even root.
    expect(await refusal({ DATA_DIR: "/sys/pennyprompt", DATABASE_URL: "" })).toMatch(
      /DATA_DIR=\/sys\/pennyprompt cannot be used: (no permission to write there|the file system is read-only)/,
    );
  });

  test("damaged secrets make the start fail and say how to fix them", async () => {
    const damaged = join(dataDir, "damaged");
    mkdirSync(damaged);
    writeFileSync(join(damaged, "secrets.json"), "{");
    expect(await refusal({ DATA_DIR: damaged })).toContain("secrets.json is damaged: restore it, or delete it");
  });

  test("a full disk is reported as a full disk", () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    expect((dataDirProblem(full, { DATA_DIR: ".data" }) as Error).message).toContain("DATA_DIR=.data cannot be used: the disk is full");
    const initdb = new Error('initdb failed (1):\ncould not write to file "x": No space left on device');
    expect((dataDirProblem(initdb, { DATA_DIR: ".data" }) as Error).message).toContain("the disk is full");
  });
});

test("an address that cannot be bound is reported with its setting", () => {
  const messageFor = (code: string) => listenProblem(Object.assign(new Error("listen"), { code }), 80, "192.0.2.1").message;
  expect(messageFor("EACCES")).toContain("Set PORT to a number above 1023");
  expect(messageFor("EADDRNOTAVAIL")).toContain("HOST=192.0.2.1 is not an address of this machine");
});
