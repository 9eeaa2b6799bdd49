// Whether a payment on Solana can be settled now, and a blockhash for it, so that a payer need not fetch one. The chain is queried at most
// once a second, and only on demand.

import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { type SolanaNodes, solanaNodes } from "@/lib/chains/solana/nodes";
import type { PaymentTerms } from "@/lib/chains/solana/payment-transaction";
import { readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { type RecentBlockhash, readFirstBlockhash } from "@/lib/chains/solana/transactions";

const KEPT_MS = 1_000;
/** The longest that an unpaid request waits for nodes that do not answer. */
const MAX_WAIT_MS = 1_500;
/** 0.001 SOL: the fees of fifty payments. */
const MIN_LAMPORTS = 1_000_000;

/** Has a blockhash while the nodes answer. */
export interface Readiness {
  blockhash: Omit<RecentBlockhash, "slot"> | null;
}

interface Kept {
  nodes: SolanaNodes | null;
  atMs: number;
  answer: Promise<Readiness | null>;
  /** The nodes' last answer. */
  wasReady: boolean;
}

const kept = processSingleton<Kept>("readiness for payments on Solana", () => ({
  nodes: null,
  atMs: 0,
  answer: Promise.resolve(null),
  wasReady: false,
}));

/**
 * Null while the treasury has no account for USDC, or the fee payer has no SOL. When no node answers, the last answer stands: a payment
 * that came in before can be sent again.
 */
export async function findReadiness(terms: PaymentTerms): Promise<Readiness | null> {
  if (solanaCluster().urls.length === 0) return null;
  const [held, nodes] = [kept(), solanaNodes()];
  if (held.nodes !== nodes) Object.assign(held, { nodes, atMs: 0, wasReady: false });
  if (nowMs() - held.atMs > KEPT_MS) Object.assign(held, { atMs: nowMs(), answer: read(terms, nodes, held) });
  const late = new AbortController();
  try {
    return await Promise.race([held.answer, afterWait(late.signal, () => asBefore(held))]);
  } finally {
    late.abort();
  }
}

const asBefore = ({ wasReady }: Kept): Readiness | null => (wasReady ? { blockhash: null } : null);

const afterWait = <T>(signal: AbortSignal, value: () => T): Promise<T> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(value()), MAX_WAIT_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });

async function read({ feePayer, mint, payTo }: PaymentTerms, nodes: SolanaNodes, held: Kept): Promise<Readiness | null> {
  try {
    const [account, lamports, blockhash] = await Promise.all([
      readTokenAccounts(nodes, [deriveTokenAccount(payTo, mint)], "confirmed"),
      nodes.callAtSlot("getBalance", [feePayer, { commitment: "confirmed" }], z.number()),
      readFirstBlockhash(nodes),
    ]);
    const [received] = account.value;
    held.wasReady = received?.isFrozen === false && lamports.value >= MIN_LAMPORTS;
    return held.wasReady ? { blockhash } : null;
  } catch (error) {
    if (!isSolanaUnavailable(error)) throw error;
    log().debug({ err: error }, "could not check whether Solana payments can be settled: no node responds");
    return asBefore(held);
  }
}
