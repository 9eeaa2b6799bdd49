// What the form reckons by itself, before the service is asked; amounts are nano-USD.

import { parseUsd, usdText } from "@/lib/base/money";
import type { AllowanceView } from "./withdraw-types";

const UNIT = 1_000n;

/** The most that can arrive now, in whole units of USDC. */
export function mostToArrive({ withdrawable, leftOfDay, leftOfService }: AllowanceView, fee: bigint): bigint {
  const most = [withdrawable - fee, leftOfDay, leftOfService].reduce((least, one) => (one < least ? one : least));
  return most > 0n ? most - (most % UNIT) : 0n;
}

/** What is written so far; null when it is no amount yet. */
export function readSoFar(text: string): bigint | null {
  try {
    const amount = parseUsd(text.trim().replace(/^\$/, ""));
    return amount > 0n ? amount : null;
  } catch {
    return null; // the service says what is wrong with it when it is sent
  }
}

/** As the field shows it. */
export const fieldText = (amount: bigint): string => (amount > 0n ? usdText(amount) : "");
