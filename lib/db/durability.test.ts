import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkDurability } from "./durability";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded";
import { cleanUpEmbedded, newDataDir, queryOnce } from "./testing/embedded-fixture";

let server: EmbeddedPostgres;

beforeAll(async () => {
  server = await startEmbeddedPostgres({ dataDir: newDataDir({ prepared: true }) });
});
afterAll(async () => {
  await server.stop();
  await cleanUpEmbedded();
});

/** Changes the server's own configuration, as an operator would; resolves when new sessions see the change. */
async function setForAll(name: string, value: string): Promise<void> {
  await queryOnce(server.url, `ALTER SYSTEM SET ${name} = ${value}`);
  await queryOnce(server.url, "SELECT pg_reload_conf()");
  await expect.poll(async () => (await queryOnce(server.url, `SHOW ${name}`))[0]?.[name]).toBe(value);
}

const withOptions = (options: string): string => {
  const url = new URL(server.url);
  url.searchParams.set("options", options);
  return url.href;
};

test("PostgreSQL with its default settings is accepted", () => checkDurability(server.url));

test.each(["fsync", "full_page_writes", "synchronous_commit"])(
  "%s off in its configuration is refused, by name and with the cure",
  async (name) => {
    await setForAll(name, "off");
    await expect(checkDurability(server.url)).rejects.toThrow(
      `${name} is off: write ALTER SYSTEM SET ${name} = on; and SELECT pg_reload_conf();`,
    );
    await setForAll(name, "on");
    await checkDurability(server.url);
  },
);

test.each(["local", "remote_write", "remote_apply", "on"])("synchronous_commit %s is accepted", async (value) => {
  await setForAll("synchronous_commit", value);
  await checkDurability(server.url);
});

test("all settings that are off are named at once, also when set on the server's command line", async () => {
  const other = await startEmbeddedPostgres({
    dataDir: newDataDir({ prepared: true }),
    settings: { fsync: "off", full_page_writes: "off" },
  });
  await expect(checkDurability(other.url)).rejects.toThrow(
    "fsync is off: start PostgreSQL without -c fsync=off.\n  full_page_writes is off: start PostgreSQL without -c full_page_writes=off.",
  );
  await other.stop();
});

test.each([
  ["ALTER ROLE pennyprompt", 'write ALTER ROLE "pennyprompt" RESET synchronous_commit;'],
  ["ALTER DATABASE pennyprompt", 'write ALTER DATABASE "pennyprompt" RESET synchronous_commit;'],
  ["ALTER ROLE pennyprompt IN DATABASE pennyprompt", 'write ALTER ROLE "pennyprompt" IN DATABASE "pennyprompt" RESET synchronous_commit;'],
])("synchronous_commit off by %s is refused: the service's sessions would have it", async (alter, cure) => {
  await queryOnce(server.url, `${alter} SET synchronous_commit = off`);
  await expect(checkDurability(server.url)).rejects.toThrow(`synchronous_commit is off: ${cure}`);
  await queryOnce(server.url, `${alter} RESET synchronous_commit`);
  await checkDurability(server.url);
});

test("synchronous_commit off in the address is refused; a session's own SET is not", async () => {
  await expect(checkDurability(withOptions("-c synchronous_commit=off"))).rejects.toThrow(
    "synchronous_commit is off: take it out of the options of DATABASE_URL",
  );
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("SET synchronous_commit = off");
  await checkDurability(server.url);
  await client.end();
});
