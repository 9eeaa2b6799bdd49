// Amounts that the form computes on its own, before it calls the service, in nano-USD.

import { type ChainId, chainName, otherChains } from "@/lib/base/chains";
import { formatUsd, usdText } from "@/lib/base/money";
import { readUsdText } from "@/lib/base/typed/amount-text";
import type { AllowanceView } from "@/lib/console/views/withdraw";

const UNIT = 1_000n;

interface Limits {
  chain: ChainId;
  allowance: AllowanceView;
  fee: bigint;
  least: bigint;
}

/** The maximum that can arrive on a chain now, in whole units of USDC; zero when that is less than the minimum, `least`. */
export function mostToArrive({ chain, allowance, fee, least }: Limits): bigint {
  const { withdrawable, leftOfDay, leftOfOwn, mostOfService, leftOnChain } = allowance;
  let most = withdrawable - fee;
  for (const limit of [leftOfDay, leftOfOwn ?? most, mostOfService, leftOnChain[chain] ?? most]) if (limit < most) most = limit;
  return most < least ? 0n : most - (most % UNIT);
}

interface Range extends Omit<Limits, "fee"> {
  most: bigint;
}

/** The allowed range, and the reason when the chain holds less than could leave. */
export function rangeText({ chain, allowance, most, least }: Range): string {
  const { leftOnChain, withdrawable, unfinal } = allowance;
  const left = leftOnChain[chain];
  // Another chain would not help.
  if (withdrawable + unfinal < least) return notEnough(least);
  if (left !== null && left < least) {
    const open = otherChains(chain).filter((other) => (leftOnChain[other] ?? least) >= least);
    const cure = open.length > 0 ? `Choose ${open.map(chainName).join(" or ")}` : "Try again later";
    return `Nothing can be withdrawn on ${chainName(chain)} right now. ${cure}.`;
  }
  if (most < least) {
    const limit = usedUpLimit(allowance, least);
    if (limit !== null) return `${limit} Minimum: ${formatUsd(least)}.`;
    return withdrawable < least && withdrawable + unfinal > least
      ? `Recent deposits can be withdrawn once they are final. Minimum: ${formatUsd(least)}.`
      : notEnough(least);
  }
  const isOfChain = left !== null && left - most < UNIT;
  return `Minimum ${formatUsd(least)} · maximum ${formatUsd(most)}${isOfChain ? ` on ${chainName(chain)} right now` : ""}`;
}

const notEnough = (least: bigint): string => `Not enough to withdraw. Minimum: ${formatUsd(least)} plus the fee.`;

/** The limit that leaves less than the minimum, while the balance has enough; null: none does. */
function usedUpLimit({ withdrawable, leftOfDay, leftOfOwn }: AllowanceView, least: bigint): string | null {
  if (withdrawable < least) return null;
  if (leftOfOwn !== null && leftOfOwn < least) return `The 24-hour limit you set has ${formatUsd(leftOfOwn)} left.`;
  return leftOfDay < least ? `Your 24-hour limit has ${formatUsd(leftOfDay)} left.` : null;
}

/** The amount typed so far; null when it is no amount yet. */
export function readSoFar(text: string): bigint | null {
  try {
    return readUsdText(text);
  } catch {
    return null; // the service reports the problem when it is submitted
  }
}

/** In the field's format. */
export const fieldText = (amount: bigint): string => (amount > 0n ? usdText(amount) : "");
