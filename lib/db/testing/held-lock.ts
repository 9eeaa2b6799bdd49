// Two transactions of which one waits for the other.

import type { PoolClient } from "pg";
import { expect } from "vitest";
import { pool } from "../pool";

/** Locks with `lock` on a connection of its own, lets `blocked` run into that lock, does `meanwhile` with the lock, and commits. */
export async function whileHeld<T>(
  [lock, ...values]: readonly [sql: string, ...values: string[]],
  blocked: () => Promise<T>,
  meanwhile: (on: PoolClient) => Promise<unknown>,
): Promise<T> {
  const holder = await pool().connect();
  try {
    const { rows } = await holder.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await holder.query("BEGIN");
    await holder.query(lock, values);
    const running = blocked();
    running.catch(() => undefined);
    const waits = "SELECT 1 FROM pg_stat_activity WHERE $1::integer = ANY (pg_blocking_pids(pid))";
    await expect.poll(async () => (await pool().query(waits, [rows[0]?.pid])).rowCount).toBe(1);
    await meanwhile(holder);
    await holder.query("COMMIT");
    return await running;
  } finally {
    await holder.query("ROLLBACK");
    holder.release();
  }
}

/** Locks an account as everybody does who changes it. */
export const accountLock = (accountId: string) => ["SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE", accountId] as const;
