// Whether a new account could be given addresses, as a process without a signer can tell too.

import { pool } from "@/lib/db/pool";

/** False when the pool is empty: nobody who is new can sign in until the signer has made more. */
export async function hasFreeAddress(): Promise<boolean> {
  const { rows } = await pool().query<{ free: boolean }>("SELECT EXISTS (SELECT FROM address_pool) AS free");
  return rows[0]?.free ?? false;
}
