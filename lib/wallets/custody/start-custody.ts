// Starts custody in a process: with a signer in a process with the jobs role, without one in any other.

import { config, isReachedByStrangers } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { setFeePayer, setRelayer } from "@/lib/relay/relayer";
import { writeSettlementParties } from "@/lib/relay/settlement-parties";
import { isSignerUnavailable } from "@/lib/relay/signer-unavailable";
import { setSponsor, writeSponsoredParties } from "@/lib/relay/sponsor";
import { createFirstAddresses } from "./address-pool";
import { checkPins, registerSeed } from "./custody";
import { type Signer, setSigner } from "./signer";

/**
 * The first addresses exist when it resolves; a job creates the rest.
 * @throws Error that says what to do when the database's addresses come from another seed than the signer's or the settings'
 */
export async function startCustody(signer: Signer | null): Promise<void> {
  if (signer) await registerSeed(signer);
  await checkPins();
  warnOfWeakness();
  if (!signer) return;
  setSigner(signer);
  setRelayer(signer.relayer);
  setSponsor(signer.sponsor);
  setFeePayer(signer.treasury.solana);
  await writeSponsoredParties({ sponsor: signer.sponsor.address, treasury: signer.treasury.solana, mint: signer.usdcMint });
  await writeSettlementParties({ treasury: signer.treasury.base, relayer: signer.relayer.address });
  await createFirstAddresses().catch(untilReached);
}

function untilReached(error: unknown): void {
  if (!isSignerUnavailable(error)) throw error;
  log().warn({ reason: error.reason }, "the signer is away: no addresses are made until it is reached");
}

function warnOfWeakness(): void {
  const { MODE, CUSTODY_XPUB } = config();
  if (MODE !== "live" || !isReachedByStrangers()) return;
  if (!CUSTODY_XPUB) log().warn("CUSTODY_XPUB is not set, so the API and the pages trust the database for deposit addresses");
}
