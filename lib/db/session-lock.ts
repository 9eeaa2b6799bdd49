// A lock that one process holds during a piece of work, across any number of transactions. The lock belongs to a connection, so a process
// that dies releases it.

import { pool } from "./pool";

/** Runs `work` while holding the lock `name`; returns at once, without running it, when another holder has the lock. */
export async function withSessionLock(name: string, work: () => Promise<void>): Promise<void> {
  const client = await pool().connect();
  let broken: Error | undefined;
  try {
    const { rows } = await client.query<{ isOurs: boolean }>('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS "isOurs"', [name]);
    if (rows[0]?.isOurs !== true) return;
    try {
      await work();
    } finally {
      await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [name]).catch((cause: Error) => {
        broken = cause;
      });
    }
  } finally {
    client.release(broken); // a connection that may still hold the lock is not reused
  }
}
