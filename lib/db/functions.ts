// SQL functions and triggers: the files of prisma/functions hold the current text of each, once. A start brings the database to the state
// of the files, whatever it had before, and writes nothing when they are equal.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ClientBase } from "pg";
import type { Queryable } from "./pool";

interface FunctionFiles {
  /** Rises with every release that changes a function. */
  number: number;
  /** The lowest version whose callers these functions and their tables still serve. */
  serves: number;
  /** Paths relative to the directory; functions first, then triggers, which call them. */
  files: { path: string; sql: string }[];
  /** SHA-256 of all texts, hexadecimal. */
  hash: string;
}

/** The database's record of the files applied last. */
interface Applied {
  number: number;
  hash: string;
  /** The lowest version whose callers they serve; missing in records of releases from before it was asked. */
  serves?: number;
  /** A digest of each function and trigger as it was in the database then, by signature. */
  digests: Record<string, string>;
}

const settingName = "functions";

/** The version of the SQL functions that this process calls; null where there are none. */
export function readFunctionsVersion(directory = resolve("prisma/functions")): number | null {
  return existsSync(directory) ? readVersion(directory).number : null;
}

function readVersion(directory: string): Pick<FunctionFiles, "number" | "serves"> {
  const [, number, serves] = /^([1-9]\d*)\nserves ([1-9]\d*)\n?$/.exec(readFileSync(join(directory, "VERSION"), "utf8")) ?? [];
  if (!number) throw new Error("prisma/functions/VERSION must hold a whole number from 1 on, and a line such as: serves 1");
  return { number: Number(number), serves: Number(serves) };
}

/** The files of `directory`; null if it does not exist. @throws Error when its VERSION cannot be read */
export function readFunctionFiles(directory: string): FunctionFiles | null {
  if (!existsSync(directory)) return null;
  const paths = (readdirSync(directory, { recursive: true }) as string[]).filter((path) => path.endsWith(".sql")).sort();
  const isTriggers = (path: string) => path.endsWith("triggers.sql");
  const ordered = [...paths.filter((path) => !isTriggers(path)), ...paths.filter(isTriggers)];
  const files = ordered.map((path) => ({ path: path.replaceAll("\\", "/"), sql: readFileSync(join(directory, path), "utf8") }));
  const hash = createHash("sha256");
  for (const { path, sql } of files) hash.update(`${path}\n${sql}\n`);
  return { ...readVersion(directory), files, hash: hash.digest("hex") };
}

/**
 * The version that a process must call at least to go on while this release's functions and tables are applied; null when the database has
 * such ones already, or none.
 */
export async function leastVersionServed(client: ClientBase, directory: string): Promise<number | null> {
  if (!existsSync(directory)) return null;
  const { serves } = readVersion(directory);
  const { rows } = await client.query<{ found: boolean }>("SELECT to_regclass('setting') IS NOT NULL AS found");
  const applied = rows[0]?.found ? await readApplied(client) : null;
  return applied && applied.number < serves ? serves : null;
}

/** The functions and triggers that were changed by hand since they were applied: asked before migrations, which may drop some as well. */
export async function findChangedByHand(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ found: boolean }>("SELECT to_regclass('setting') IS NOT NULL AS found");
  const applied = rows[0]?.found ? await readApplied(client) : null;
  return applied ? findChanged(client, applied.digests) : [];
}

/**
 * Brings the database's functions and triggers to those of the files, within the caller's transaction; reports those of them that were
 * `changedByHand`. Returns their version if it applied them, null if the database had them.
 * @throws Error when a newer release has applied its own, or a file cannot be applied
 */
export async function applyFunctions(
  client: ClientBase,
  directory: string,
  changedByHand: readonly string[],
  log: (message: string) => void,
): Promise<number | null> {
  const wanted = readFunctionFiles(directory);
  if (!wanted) return null;
  const applied = await readApplied(client);
  if (applied && applied.number > wanted.number)
    throw new Error(
      `This database has the SQL functions of a newer release (version ${applied.number}; this code has ${wanted.number}). Start that release, or restore a backup from before it. Nothing was changed.`,
    );
  const changed = applied ? await findChanged(client, applied.digests) : [];
  if (applied?.hash === wanted.hash && applied.number === wanted.number && changed.length === 0) return null;
  if (changedByHand.length > 0) log(`database: SQL functions changed by hand were restored: ${changedByHand.join(", ")}`);
  // A function may call a function of a later file.
  await client.query("SET LOCAL check_function_bodies = off");
  for (const file of wanted.files) await applyFile(client, file);
  for (const signature of await dropOld(client, wanted, Object.keys(applied?.digests ?? {})))
    log(`database: dropped ${signature}, which no longer exists in this release`);
  const digests = Object.fromEntries(
    (await readDigests(client)).flatMap((one) => (isOf(wanted, one) ? [[one.signature, one.digest]] : [])),
  );
  await writeApplied(client, { number: wanted.number, serves: wanted.serves, hash: wanted.hash, digests });
  return wanted.number;
}

async function applyFile(client: ClientBase, { path, sql }: { path: string; sql: string }): Promise<void> {
  try {
    await client.query(sql);
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    const cure = code === "42P13" ? " To change a function's parameters or result, give it a new name." : "";
    throw new Error(`prisma/functions/${path} could not be applied, and nothing was changed: ${message}.${cure}`, { cause });
  }
}

/** The lowest version whose callers the functions of a database serve. */
export const readServed = async (client: Queryable): Promise<number> => (await readApplied(client))?.serves ?? 1;

async function readApplied(client: Queryable): Promise<Applied | null> {
  const { rows } = await client.query<{ value: string }>("SELECT value FROM setting WHERE name = $1", [settingName]);
  return rows[0] ? (JSON.parse(rows[0].value) as Applied) : null;
}

async function writeApplied(client: ClientBase, applied: Applied): Promise<void> {
  await client.query("INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", [
    settingName,
    JSON.stringify(applied),
  ]);
}

interface Digest {
  signature: string;
  digest: string;
  /** Created or replaced in this transaction. */
  isNew: boolean;
}

async function readDigests(client: ClientBase): Promise<Digest[]> {
  const { rows } = await client.query<Digest>(
    `SELECT p.oid::regprocedure::text AS signature, p.xmin = pg_current_xact_id()::xid AS "isNew",
       md5(concat_ws('|', p.prosrc, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.prolang,
         p.provolatile, p.prorows, p.proisstrict, p.proconfig)) AS digest
     FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
     UNION ALL
     SELECT format('trigger %I on %s', t.tgname, t.tgrelid::regclass), t.xmin = pg_current_xact_id()::xid,
       md5(t.tgenabled::text || pg_get_triggerdef(t.oid))
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`,
  );
  return rows;
}

/** The signatures that are missing in the database or differ from the applied text. */
async function findChanged(client: ClientBase, digests: Applied["digests"]): Promise<string[]> {
  const present = new Map((await readDigests(client)).map(({ signature, digest }) => [signature, digest]));
  return Object.keys(digests).filter((signature) => present.get(signature) !== digests[signature]);
}

/** Created by the files just now; a constraint trigger, which cannot be replaced, is theirs when they name it. */
function isOf({ files }: FunctionFiles, { signature, isNew }: Digest): boolean {
  const trigger = /^trigger (\S+) on /.exec(signature)?.[1];
  return isNew || (trigger !== undefined && files.some(({ sql }) => sql.includes(` CONSTRAINT TRIGGER ${trigger} `)));
}

/** Drops functions and triggers that earlier files created and the present ones did not: triggers before the functions that they call. */
async function dropOld(client: ClientBase, wanted: FunctionFiles, known: readonly string[]): Promise<string[]> {
  const old = (await readDigests(client))
    .filter((one) => !isOf(wanted, one) && known.includes(one.signature))
    .map(({ signature }) => signature);
  const isTrigger = (signature: string) => signature.startsWith("trigger ");
  for (const signature of old.filter(isTrigger)) await client.query(`DROP ${signature}`);
  for (const signature of old.filter((one) => !isTrigger(one))) await client.query(`DROP ROUTINE ${signature}`);
  return old;
}
