// Holdings on one chain. They include both ends of a sweep: the custodial addresses and the treasury.

import type { ChainId } from "@/lib/base/chains";
import type { NanoUsd } from "@/lib/base/money";

export interface Holding {
  chain: ChainId;
  /** A final block; on Solana a final slot, which has no hash. */
  height: number;
  blockHash: string | null;
  treasury: NanoUsd;
  /** The sum at all addresses that ever had a deposit, and the number of these addresses. */
  atAddresses: NanoUsd;
  addresses: number;
}

/** An address with a deposit on one chain. */
export interface Depositor {
  /** The address as its deposits name it. */
  depositAddress: string;
  /** On Solana, its token account. */
  address: string;
}
