// Facts that outlive a process and are no row of anything else: a name and a text.

import { pool } from "./pool";

/** The settings whose names begin with `prefix`. */
export async function listSettings(prefix: string): Promise<{ name: string; value: string }[]> {
  const { rows } = await pool().query<{ name: string; value: string }>("SELECT name, value FROM setting WHERE starts_with(name, $1)", [
    prefix,
  ]);
  return rows;
}

/** Writes a setting, over the one of that name if there is one. */
export async function writeSetting(name: string, value: string): Promise<void> {
  await pool().query("INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", [
    name,
    value,
  ]);
}
