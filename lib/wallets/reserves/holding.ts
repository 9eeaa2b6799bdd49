// What is held on a chain, as it was read there. Both ends of a sweep are in it: custodial addresses and the treasury.

import type { NanoUsd } from "@/lib/base/money";
import type { DepositChain } from "../deposits/deposit";

export interface Holding {
  chain: DepositChain;
  /** A final block; on Solana a final slot, which is known by no hash. */
  height: number;
  blockHash: string | null;
  treasury: NanoUsd;
  /** At all addresses where anybody ever paid in, and how many these are. */
  atAddresses: NanoUsd;
  addresses: number;
}

/** An account that something came in for, on one chain. */
export interface Depositor {
  accountId: string;
  /** On Solana, of its token account. */
  address: string;
}
