// Where a child's pages listen: a socket that only this user can reach. Who reaches it may name any client address.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The longest path that every system takes; macOS has 104 bytes with the zero at its end. */
const MAX_PATH_BYTES = 103;

export interface SocketPlace {
  path: string;
  remove: () => void;
}

/** A path that nothing has, in a folder of its own with mode 700. */
export function openSocketPlace(temporary = tmpdir()): SocketPlace {
  if (process.platform === "win32") {
    return { path: `\\\\.\\pipe\\pennyprompt-${randomBytes(12).toString("hex")}`, remove: () => undefined };
  }
  const prefix = join(temporary, "pennyprompt-");
  // mkdtemp adds six characters, and the socket's name two.
  const isShort = Buffer.byteLength(prefix) + 8 <= MAX_PATH_BYTES;
  const folder = mkdtempSync(isShort ? prefix : "/tmp/pennyprompt-");
  return { path: join(folder, "p"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
