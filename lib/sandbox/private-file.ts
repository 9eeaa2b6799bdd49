// Private JSON files of a data directory, mode 600: written atomically and durably. A failed write leaves no temporary file.

import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Creates the file. When another process was first, its file stays unchanged. */
export function writeNewPrivateFile(path: string, content: object): void {
  publish(path, content, (beside) => {
    try {
      linkSync(beside, path); // unlike a rename, it never replaces a file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
}

/** Writes or replaces the file: a crash leaves the old one or the new one. */
export function replacePrivateFile(path: string, content: object): void {
  publish(path, content, (beside) => renameSync(beside, path));
}

function publish(path: string, content: object, giveName: (beside: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${randomBytes(6).toString("hex")}`; // random: two containers on one directory may have the same process ID
  try {
    withOpen(beside, "wx", (file) => {
      writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(file);
    });
    giveName(beside);
  } finally {
    rmSync(beside, { force: true });
  }
  withOpen(dirname(path), "r", fsyncSync); // otherwise a power cut may lose the directory entry
}

function withOpen(path: string, flags: string, use: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    use(file);
  } finally {
    closeSync(file);
  }
}
