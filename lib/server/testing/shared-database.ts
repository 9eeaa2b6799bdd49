// Processes of the service that share one database, and what its books say while one of them dies, freezes or stalls.

import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { createTestDatabase } from "@/lib/db/testing/test-database";
import type { Target } from "./requests";
import { bundleService, newDataDir, onCleanUp, type Running, readSandbox, startService, until } from "./service";

/** Five seconds until a process counts as dead, two heartbeats, and a margin for a busy machine. */
export const FREED_WITHIN_MS = 8_000;

export interface Sharing extends Target {
  service: Running;
}

/** Blocks the main thread of a process, as a hostile body would. */
export const blockMainThread = ({ service }: Sharing, ms: number): unknown => service.process.stdin?.write(`${ms}\n`);

/** A new database; removed by `cleanUpServices`. */
export async function shareDatabase() {
  const database = await createTestDatabase();
  onCleanUp(() => database.drop());
  const keyPepper = randomBytes(32).toString("hex");
  const query = async (sql: string) => (await database.pool.query(sql)).rows as Record<string, unknown>[];
  const countHolds = async () => (await query("SELECT FROM hold")).length;
  return {
    query,
    countHolds,
    url: database.url,
    async start(roles: "web" | "jobs" | "web,jobs", url = database.url): Promise<Sharing> {
      const dataDir = newDataDir();
      const service = startService(bundleService(), { ROLES: roles, DATABASE_URL: url, KEY_PEPPER: keyPepper, DATA_DIR: dataDir });
      const baseUrl = await service.ready;
      return { service, baseUrl, apiKey: readSandbox(dataDir).apiKey };
    },
    untilHeld: (count: number) => until(`${count} holds are open`, async () => (await countHolds()) === count),
    /** Call it right after a process died; returns how long it took until its holds were free. */
    async untilFreed(): Promise<number> {
      const diedAt = performance.now();
      await until("its holds are free", async () => (await countHolds()) === 0);
      return performance.now() - diedAt;
    },
    /** Stops them in order: then the books are whole, and no process has a row. */
    async stop(...started: readonly Sharing[]): Promise<void> {
      expect(await query("SELECT * FROM ledger_check(now())")).toEqual([]);
      for (const { service } of started) service.process.kill("SIGTERM");
      for (const { service } of started) expect(await service.ended).toEqual({ code: 0, signal: null });
    },
  };
}
