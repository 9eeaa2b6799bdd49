// The lock on a data directory's chains: at most one process runs both of them. The EVM node itself would let two processes write the same
// state.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isOwned, type OwnerLock, takeOwnerLock } from "@/lib/db/embedded/owner-lock";
import { OwnedElsewhere } from "./start-beside";

/** Whether a live process runs them, this one or another. */
export const areChainsOwned = (dataDir: string): boolean => isOwned(lockFolder(dataDir));

const lockFolder = (dataDir: string) => join(dataDir, "chains", "owner.lock");

export interface ChainsOwner {
  /**
   * Makes this process the owner; idempotent.
   * @throws OwnedElsewhere
   */
  take: () => void;
  isOwner: () => boolean;
  release: () => void;
}

export function chainsOwner(dataDir: string): ChainsOwner {
  let lock: OwnerLock | null = null;
  return {
    take: () => {
      if (lock) return;
      mkdirSync(lockFolder(dataDir), { recursive: true });
      if (areChainsOwned(dataDir)) throw new OwnedElsewhere();
      lock = takeOwnerLock(lockFolder(dataDir));
    },
    isOwner: () => lock !== null,
    release: () => {
      lock?.release();
      lock = null;
    },
  };
}
