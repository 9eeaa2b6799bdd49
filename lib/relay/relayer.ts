// The relayer: the key that pays for our transactions on Base, and has no right over anybody's USDC. The process with the seed sets it at
// startup.

import type { Hex, Signature } from "viem";
import { processSingleton } from "@/lib/base/process-singleton";
import type { Transaction } from "@/lib/chains/evm/transactions";

export interface Relayer {
  readonly address: Hex;
  /** Signs a transaction of its own account. @throws Error for a transaction that this key is not for; SignerUnavailable */
  signTransaction(transaction: Transaction): Promise<Signature>;
}

const holder = processSingleton<{ relayer?: Relayer; feePayer?: string }>("relayer", () => ({}));

/** Sets this process's relayer; undefined removes it. */
export function setRelayer(relayer: Relayer | undefined): void {
  holder().relayer = relayer;
}

/** Null in a process without a relayer. */
export const findRelayer = (): Relayer | null => holder().relayer ?? null;

/** @throws Error in a process without a relayer */
export function relayer(): Relayer {
  const held = findRelayer();
  if (!held) throw new Error("This process has no relayer key: only a process with ROLES=jobs does.");
  return held;
}

/** Sets the fee payer of our transactions on Solana, so that its balance is watched. */
export function setFeePayer(address: string | undefined): void {
  holder().feePayer = address;
}

export const findFeePayer = (): string | null => holder().feePayer ?? null;
