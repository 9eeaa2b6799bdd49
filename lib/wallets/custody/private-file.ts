// Files of the signer that must survive a crash whole, and that only its user may read: the seed's, and the journal of payouts.

import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Creates the file at `path`, mode 600; it is on the disk before this resolves. A file that a killed run left there is replaced. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await rm(path, { force: true }); // possibly with another mode
  await withOpen(path, "wx", async (handle) => {
    await handle.writeFile(text);
    await handle.sync();
  });
}

/** At any time, even after a crash, either the old or the new file is at `path` completely. */
export async function replacePrivate(path: string, text: string): Promise<void> {
  const beside = `${path}.new`;
  try {
    await writePrivate(beside, text);
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
  await syncFolderOf(path);
}

/** Without it a crash may undo that a file was created, linked or renamed. */
export const syncFolderOf = (path: string): Promise<void> => withOpen(dirname(path), "r", (handle) => handle.sync());

async function withOpen(path: string, flags: string, use: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}
