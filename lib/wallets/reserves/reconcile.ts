// The reconciliation: holdings on each chain at one final height, against the amount owed at that height. The order of reads keeps any race
// from looking like a deficit: depositors, chains, books, payouts that had left. See decisions/0011.

import { type ChainId, chainIds } from "@/lib/base/chains";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { findIncluded } from "@/lib/chains/solana/transactions";
import { hasArrivals } from "@/lib/ledger/arrivals";
import { evmOf, type RelayNodes, solanaOf } from "@/lib/relay/chain";
import { type Custody, findCustody } from "../custody/custody";
import { isWatched } from "../deposits/watched";
import { findFinalBlock, findPaidOnBase, readBaseHolding } from "./base-holding";
import { type Books, chainAccount, type Heights, listDepositors, readBooks, readKnownFinal } from "./books";
import type { Holding } from "./holding";
import { NotKnown } from "./not-known";
import { owedByPayouts, type Payout } from "./payouts";
import { readSolanaHolding, type SolanaReading } from "./solana-holding";

/** nano-USD. */
export interface Reckoning {
  /** When the books were read. */
  at: Date;
  holdings: Holding[];
  held: NanoUsd;
  owed: NanoUsd;
  /** The part of `owed` in customers' balances; the rest is in transit. */
  customers: NanoUsd;
  /** The part of these at addresses without an account: change of payments for requests. */
  credits: NanoUsd;
  granted: NanoUsd;
}

/**
 * Reads both chains and the books.
 * @param nodes the service's own by default
 * @throws NotKnown while the holdings are unknown
 */
export async function reconcile(nodes: RelayNodes = {}): Promise<Reckoning> {
  const custody = await findCustody();
  if (!custody) throw new NotKnown("starting", null, "this database has no seed yet");
  const chains = await chainsInUse();
  const solana = chains.has("solana") ? await known("solana", () => readSolana(custody, solanaOf(nodes))) : null;
  const evm = chains.has("base") ? evmOf(nodes) : null;
  const block = evm && (await known("base", async () => findFinalBlock(evm, await readKnownFinal())));
  const heights: Heights = { base: block?.number ?? null, solana: solana && { treasury: solana.holding.height, addresses: solana.slots } };
  const books = await readBooks(heights);
  const base = evm && block && (await known("base", () => readBase({ custody, block, books }, evm)));
  const included = solana && (await known("solana", () => findPaidOnSolana(books.payouts, solana.holding.height, solanaOf(nodes))));
  const paid = new Set([...(base?.paid ?? []), ...(included ?? [])]);
  const holdings = [base?.holding ?? [], solana?.holding ?? []].flat();
  return {
    at: books.at,
    holdings,
    held: nanoUsd(holdings.reduce((sum, { treasury, atAddresses }) => sum + treasury + atAddresses, 0n)),
    owed: nanoUsd(books.owed + owedByPayouts(books.payouts, paid)),
    customers: books.customers,
    credits: books.credits,
    granted: books.granted,
  };
}

/** A chain that is no longer watched may still hold money; so may a chain that only had payments. */
async function chainsInUse(): Promise<ReadonlySet<ChainId>> {
  const inUse = new Set<ChainId>();
  for (const chain of chainIds) {
    if (isWatched(chain) || (await listDepositors(chain)).length > 0 || (await hasArrivals(chainAccount(chain)))) inUse.add(chain);
  }
  return inUse;
}

async function readSolana({ treasury, usdcMint }: Custody, nodes: SolanaNodes): Promise<SolanaReading> {
  const depositors = await listDepositors("solana");
  return readSolanaHolding({ treasury: deriveTokenAccount(treasury.solana, usdcMint), depositors }, nodes);
}

async function readBase(
  { custody, block, books }: { custody: Custody; block: Awaited<ReturnType<typeof findFinalBlock>>; books: Books },
  nodes: EvmNodes,
): Promise<{ holding: Holding; paid: ReadonlySet<string> }> {
  const treasury = custody.treasury.base.toLowerCase();
  const query = { block, treasury, depositors: books.depositorsOnBase, readTo: books.readToOnBase };
  const holding = await readBaseHolding(query, nodes);
  return { holding, paid: await findPaidOnBase(ofChain("base", books.payouts), query, nodes) };
}

async function findPaidOnSolana(payouts: readonly Payout[], slot: number, nodes: SolanaNodes): Promise<string[]> {
  const ours = ofChain("solana", payouts);
  const included = await findIncluded(
    nodes,
    ours.flatMap(({ signature }) => signature ?? []),
    slot,
  );
  return ours.filter(({ signature }) => signature !== null && included.has(signature)).map(({ order }) => order.id);
}

const ofChain = (chain: ChainId, payouts: readonly Payout[]) => payouts.filter((payout) => payout.chain === chain);

/** @throws NotKnown for failures of the nodes of `chain` */
async function known<T>(chain: ChainId, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isSolanaUnavailable(error)) throw new NotKnown("away", chain, (error as Error).message);
    if (!isEvmFailure(error)) throw error;
    const isForgotten = error.kind === "behind" || error.kind === "moved" || error.kind === "rejected";
    throw new NotKnown(isForgotten ? "behind" : "away", chain, error.message);
  }
}
