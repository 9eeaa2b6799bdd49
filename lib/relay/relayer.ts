// The relayer: the key that pays for our transactions on Base, and has no right over anybody's USDC. Whoever holds the seed hands
// it over at the start.

import type { Hex, Signature } from "viem";
import { once } from "@/lib/base/once";
import type { Transaction } from "@/lib/chains/evm/transactions";

export interface Relayer {
  readonly address: Hex;
  /** Signs a transaction of its own account. */
  signTransaction(transaction: Transaction): Signature;
}

const holder = () => once<{ relayer?: Relayer }>("relayer", () => ({}));

/** Gives this process its relayer; undefined takes it away again. */
export function setRelayer(relayer: Relayer | undefined): void {
  holder().relayer = relayer;
}

/** Null in a process that was given none. */
export const findRelayer = (): Relayer | null => holder().relayer ?? null;

/** @throws Error in a process that was given none */
export function relayer(): Relayer {
  const held = findRelayer();
  if (!held) throw new Error("This process has no relayer: only one with ROLES=jobs does.");
  return held;
}
