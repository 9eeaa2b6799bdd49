// The mode in which a database was first used. Sandbox money and real money never share a database: a start in the other mode is
// refused.

import type { Queryable } from "./pool";

type Mode = "sandbox" | "live";

/**
 * The mode that the database remembers, or undefined when it is new.
 * @throws Error when it is not `expected`
 */
export async function readMode(database: Queryable, expected: Mode): Promise<Mode | undefined> {
  const { rows: tables } = await database.query<{ found: boolean }>("SELECT to_regclass('setting') IS NOT NULL AS found");
  if (!tables[0]?.found) return undefined;
  const { rows } = await database.query<{ value: string }>("SELECT value FROM setting WHERE name = 'mode'");
  const remembered = rows[0]?.value;
  if (remembered === undefined) return undefined;
  if (remembered !== expected) {
    throw new Error(
      `This database holds ${remembered} money and MODE is ${expected}. Set MODE=${remembered}, or give DATABASE_URL another database.`,
    );
  }
  return expected;
}

/**
 * Makes the database remember `mode`, forever.
 * @throws Error when it remembers the other mode
 */
export async function rememberMode(database: Queryable, mode: Mode): Promise<void> {
  await database.query("INSERT INTO setting (name, value) VALUES ('mode', $1) ON CONFLICT (name) DO NOTHING", [mode]);
  await readMode(database, mode);
}
