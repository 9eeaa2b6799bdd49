// What the form computes on its own, before it calls the service; amounts are nano-USD.

import { formatUsd, parseUsd, usdText } from "@/lib/base/money";
import type { Chain } from "@/lib/console/views/chain";
import type { AllowanceView } from "@/lib/console/views/withdraw";
import { chainNames, otherChain } from "../../ui/chain-names";

const UNIT = 1_000n;

/** The maximum that can arrive on a chain now, in whole units of USDC. */
export function mostToArrive({ chain, allowance, fee }: { chain: Chain; allowance: AllowanceView; fee: bigint }): bigint {
  const { withdrawable, leftOfDay, leftOfService, leftOnChain } = allowance;
  let most = withdrawable - fee;
  for (const limit of [leftOfDay, leftOfService, leftOnChain[chain] ?? most]) if (limit < most) most = limit;
  return most > 0n ? most - (most % UNIT) : 0n;
}

interface Range {
  chain: Chain;
  allowance: AllowanceView;
  most: bigint;
  least: bigint;
}

/** The allowed range, and the reason when the chain holds less than could leave. */
export function rangeText({ chain, allowance: { leftOnChain }, most, least }: Range): string {
  const [left, other] = [leftOnChain[chain], otherChain(chain)];
  if (left !== null && left < least) {
    const isOtherOpen = (leftOnChain[other] ?? least) >= least;
    return `On ${chainNames[chain]} nothing can leave at the moment.${isOtherOpen ? ` Choose ${chainNames[other]}.` : ""}`;
  }
  if (most < least) return `Less can leave now than the least, ${formatUsd(least)}.`;
  const isOfChain = left !== null && left - most < UNIT;
  return `From ${formatUsd(least)} on, at most ${formatUsd(most)} ${isOfChain ? `on ${chainNames[chain]} ` : ""}now.`;
}

/** The amount typed so far; null when it is no amount yet. */
export function readSoFar(text: string): bigint | null {
  try {
    const amount = parseUsd(text.trim().replace(/^\$/, ""));
    return amount > 0n ? amount : null;
  } catch {
    return null; // the service reports the problem when it is submitted
  }
}

/** In the field's format. */
export const fieldText = (amount: bigint): string => (amount > 0n ? usdText(amount) : "");
