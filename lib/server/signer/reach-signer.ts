// The signer of a process with the jobs role: in live mode that of another process, behind its socket, or a seed of its own when it does not
// serve the web; in a sandbox one in the same process. All speak through the same codec.

import type { Config } from "@/lib/base/config";
import { findCustody } from "@/lib/wallets/custody/custody";
import type { Signer } from "@/lib/wallets/custody/signer";
import { connectSigner, type PublicHalf } from "@/lib/wallets/custody/wire/connect";
import { behindCodec } from "@/lib/wallets/custody/wire/wire-signer";

export interface ReachedSigner {
  signer: Signer;
  /** Null for a signer in this process, which cannot be away. */
  isWell: (() => boolean) | null;
  stop: () => void;
}

const inProcess = (signer: Signer): ReachedSigner => ({ signer, isWell: null, stop: () => undefined });

/** The seed of this process, behind the codec; null when it holds none. A seed that cannot be opened fails the start, not the first deposit. */
export async function openOwnSeed(settings: Config): Promise<ReachedSigner | null> {
  if (!settings.ROLES.includes("jobs") || settings.SIGNER_SOCKET) return null;
  if (settings.MODE === "live") {
    const { openPayingKeys } = await import("@/lib/wallets/custody/open-seed");
    return inProcess(await behindCodec(await openPayingKeys(settings)));
  }
  return inProcess(await (await import("@/lib/sandbox/seed")).openSandboxSigner(settings.DATA_DIR));
}

/**
 * The signer at SIGNER_SOCKET; null in a process that needs none. The database must be open: its record of the seed stands in for a signer
 * that is away.
 * @throws SignerUnavailable when it is away at the very first start
 */
export async function reachSigner({ ROLES, SIGNER_SOCKET: path }: Config): Promise<ReachedSigner | null> {
  return ROLES.includes("jobs") && path ? connectSigner(path, readPublicHalf) : null;
}

async function readPublicHalf(): Promise<PublicHalf | null> {
  const custody = await findCustody();
  if (!custody) return null;
  const { fingerprint, xpub, usdcMint, treasury, relayer, sponsor } = custody;
  return { fingerprint, xpub, usdcMint, treasury, relayer: relayer.base, sponsor: sponsor.solana };
}
