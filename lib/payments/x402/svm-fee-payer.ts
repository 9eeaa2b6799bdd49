// The fee payer of a payment on Solana: our own key, or an outside facilitator's where one settles there.

import { solanaKey } from "@/lib/chains/wallet";
import { findFacilitatedExtra, isFacilitated } from "./facilitator";

/** @returns null while the facilitator does not name it */
export async function findFeePayer(network: string, ownFeePayer: string): Promise<string | null> {
  if (!(await isFacilitated(network))) return ownFeePayer;
  const { feePayer } = (await findFacilitatedExtra(network)) ?? {};
  return typeof feePayer === "string" && solanaKey(feePayer) ? feePayer : null;
}
