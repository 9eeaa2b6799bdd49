// The seed's file on disk: written atomically, replaced only by a rotation, which keeps the old file, and in live mode readable by its
// owner alone. Errors name the path and the fix, and never contain the file's content.

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, link, mkdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { now } from "@/lib/base/clock";
import { replacePrivate, syncFolderOf, writePrivate } from "./private-file";
import { type SeedFile, seedFileSchema } from "./seed-file";

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/**
 * Reads the file at `path`; it stays encrypted.
 * @throws Error that says what to do when it is missing, damaged, or holds a live seed that others may read
 */
export async function readSeedFile(path: string): Promise<SeedFile> {
  const others = await permissionsOfOthers(path);
  const file = parseSeedFile(await readFile(path, "utf8"));
  if (!file) {
    throw new Error(
      `CUSTODY_SEED_FILE: ${path} is not a seed file, or it is damaged. Restore it from a backup, or create it again from the 24 words: npm run custody -- restore`,
    );
  }
  if (file.mode === "live" && others !== 0) {
    throw new Error(`CUSTODY_SEED_FILE: other users can access ${path}. Restrict it: chmod 600 ${path}`);
  }
  return file;
}

/** The permission bits for group and others. */
async function permissionsOfOthers(path: string): Promise<number> {
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isFile()) return found.mode & 0o077;
  } catch (cause) {
    throw new Error(
      `CUSTODY_SEED_FILE: ${path} does not exist, or this user cannot read it. Set it to the path of the encrypted seed file.`,
      {
        cause,
      },
    );
  }
  throw new Error(`CUSTODY_SEED_FILE: ${path} is not a file. Set it to the path of the encrypted seed file.`);
}

/** Null for anything but a seed file. The parser's error would repeat the text, which may be the words. */
function parseSeedFile(text: string): SeedFile | null {
  try {
    return seedFileSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Creates a seed file, mode 600. False when the path exists: it is left unchanged. */
export async function writeNewSeedFile(path: string, file: SeedFile): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${randomBytes(6).toString("hex")}`; // random: two containers on one directory may have the same process ID
  try {
    await writePrivate(beside, textOf(file));
    await link(beside, path); // unlike a rename, it never replaces a file
    await syncFolderOf(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(beside, { force: true });
  }
}

/**
 * Replaces the seed file at `path`, following a symbolic link. At any time, even after a crash, either the old or the new file is there
 * completely. The old one is kept beside it under another name, mode 600: resolves with that file's path.
 */
export async function replaceSeedFile(path: string, file: SeedFile): Promise<string> {
  const real = await realpath(path); // a rename onto a link would leave its target unchanged
  const kept = `${real}.before-${now().toISOString().replace(/[-:.]/g, "")}`;
  if (!(await writeNewSeedFile(kept, await readSeedFile(real)))) throw new Error(`${kept} already exists: another rotation is running.`);
  await replacePrivate(real, textOf(file));
  return kept;
}

const textOf = (file: SeedFile): string => `${JSON.stringify(file, null, 2)}\n`;
