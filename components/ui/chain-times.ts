// How long a deposit takes on each chain, wherever pages tell it. Base: docs.base.org/base-chain/network-information/transaction-finality
// (the L1 batch after about 2 minutes, its finality after about 20). Solana: 32 slots of 0.4 s until a slot is finalized, about 13 s.

import type { Chain } from "@/lib/console/views/chain";

interface ChainTimes {
  /** From when it is sent until it can be spent. */
  credited: string;
  /** From when it is sent until it can be withdrawn. */
  final: string;
}

export const chainTimes: Readonly<Record<Chain, ChainTimes>> = {
  base: { credited: "about 2 minutes", final: "about 20 minutes" },
  solana: { credited: "about 15 seconds", final: "about 15 seconds" },
};
