// JSON files of a data directory that are their owner's alone, mode 600: written whole and durably, or not at all. A write that
// fails leaves nothing beside them.

import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes the file where there is none. When another process was first, its file stays as it is. */
export function writeNewPrivateFile(path: string, content: object): void {
  publish(path, content, (beside) => {
    try {
      linkSync(beside, path); // unlike a rename it never replaces
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
}

/** Writes the file, also over one that is there: a crash leaves the old one or the new one. */
export function replacePrivateFile(path: string, content: object): void {
  publish(path, content, (beside) => renameSync(beside, path));
}

function publish(path: string, content: object, giveName: (beside: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${randomBytes(6).toString("hex")}`; // two containers on one directory may have the same process number
  try {
    withOpen(beside, "wx", (file) => {
      writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(file);
    });
    giveName(beside);
  } finally {
    rmSync(beside, { force: true });
  }
  withOpen(dirname(path), "r", fsyncSync); // else a power cut may take the name
}

function withOpen(path: string, flags: string, use: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    use(file);
  } finally {
    closeSync(file);
  }
}
