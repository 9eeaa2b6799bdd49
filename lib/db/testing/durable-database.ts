// A database of a test file on its own PostgreSQL, which is as durable as live mode requires; the test run's is not.

import { afterAll } from "vitest";
import { setDatabaseUrl } from "../database-url";
import { startEmbeddedPostgres } from "../embedded";
import { migrate } from "../migrate";
import { closePool } from "../pool";
import { cleanUpEmbedded, newDataDir, queryOnce } from "./embedded-fixture";
import { urlOfDatabase } from "./test-database";

interface DurableDatabase {
  url: string;
  /** Creates another, empty database on the same server. Returns its address. */
  create: (name: string) => Promise<string>;
}

/** Like `openTestDatabase`: migrated, connected to the product's `pool()`, and removed after the file's last test. */
export async function openDurableDatabase(): Promise<DurableDatabase> {
  const { url, stop } = await startEmbeddedPostgres({ dataDir: newDataDir({ prepared: true }) });
  afterAll(async () => {
    await closePool();
    await stop();
    await cleanUpEmbedded();
  });
  await migrate({ url });
  setDatabaseUrl(url);
  return {
    url,
    async create(name) {
      await queryOnce(url, `CREATE DATABASE ${name}`);
      return urlOfDatabase(url, name);
    },
  };
}
