// Reads a token account on from a point: final deposits, as long as each transaction's opening balance equals the previous closing balance,
// and confirmed ones. A transaction that a node omitted shows as a gap, and nothing after it is read.

import { fromUsdcUnits } from "@/lib/base/money";
import type { RunLimited } from "@/lib/base/semaphore";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { type AccountSignature, listSignatures, readTokenChange, type SettledCommitment, type TokenChange } from "@/lib/chains/solana/usdc";
import type { FoundDeposit } from "./record-deposits";
import type { ReadPoint, SolanaAddress } from "./solana-cursor";

export interface ReadingContext {
  nodes: SolanaNodes;
  mint: string;
  /** The newest final slot. */
  finalized: number;
  addresses: ReadonlyMap<string, SolanaAddress>;
  /** Seen deposits: their slots by id. */
  known: ReadonlyMap<string, number>;
  inTurn: RunLimited;
  /** The last slot to read; all when absent. */
  upToSlot?: number;
}

export interface Reading {
  address: SolanaAddress;
  end: ReadPoint;
  /** The final transactions that were processed. */
  passed: readonly string[];
  found: readonly FoundDeposit[];
  /** Confirmed deposits that are not final yet. */
  seen: readonly FoundDeposit[];
  /** More remains to be read, now or once it is final. */
  isOpen: boolean;
  hasGap: boolean;
}

const MAX_TRANSACTIONS = 200;
const MAX_SEEN = 50;

/** @throws SolanaUnavailable, SolanaRefusal */
export async function readFrom(from: ReadPoint, address: SolanaAddress, context: ReadingContext): Promise<Reading> {
  const list = async (commitment: SettledCommitment) => {
    const page = { cursor: from.signature, most: Number.MAX_SAFE_INTEGER, commitment };
    const listed = await context.inTurn(() => listSignatures(context.nodes, address.tokenAccount, page));
    // A node that no longer knows the cursor lists from the account's start.
    return listed.filter(({ slot }) => slot >= from.slot && slot <= (context.upToSlot ?? slot));
  };
  const confirmed = await list("confirmed");
  // Final means that a node reports it as final. Depth is not enough: confirmed blocks of an abandoned fork have depth too.
  const final = confirmed.some(({ slot }) => slot <= context.finalized) ? await list("finalized") : [];
  const reading = await readFinal(from, final, address, context);
  const listedFinal = new Set(final.map(({ signature }) => signature));
  const open = confirmed.filter(({ signature }) => !listedFinal.has(signature));
  return {
    ...reading,
    seen: await readSeen(open, address, context),
    isOpen: reading.passed.length < final.length || open.length > 0,
  };
}

async function readFinal(from: ReadPoint, listed: readonly AccountSignature[], address: SolanaAddress, context: ReadingContext) {
  let end = from;
  const passed: string[] = [];
  const found: FoundDeposit[] = [];
  for (const signatures of bySlot(listed)) {
    if (passed.length + signatures.length > MAX_TRANSACTIONS && passed.length > 0) break;
    const { linked, isWhole } = linkUp(end.units, await readChanges(signatures, address, context));
    // In the last slot already read, a different order may list transactions again: those do not link up.
    if (!isWhole && signatures[0]?.slot !== from.slot) return { address, end, passed, found, hasGap: true };
    found.push(...linked.flatMap((change) => depositIn(change, address, context)));
    passed.push(...signatures.map(({ signature }) => signature));
    const last = signatures.at(-1) ?? end;
    end = { signature: last.signature, slot: last.slot, units: linked.at(-1)?.after ?? end.units };
  }
  return { address, end, passed, found, hasGap: false };
}

/** Grouped by slot, oldest first: a final slot is complete, so it is processed as one. */
function bySlot(signatures: readonly AccountSignature[]): AccountSignature[][] {
  const slots = new Map<number, AccountSignature[]>();
  for (const entry of signatures) slots.set(entry.slot, [...(slots.get(entry.slot) ?? []), entry]);
  return [...slots.values()];
}

async function readChanges(
  signatures: readonly AccountSignature[],
  { tokenAccount, owner }: SolanaAddress,
  { nodes, mint, inTurn }: ReadingContext,
  commitment: SettledCommitment = "finalized",
): Promise<TokenChange[]> {
  const changes = await Promise.all(
    signatures
      .filter(({ isFailed }) => !isFailed)
      .map(({ signature }) => inTurn(() => readTokenChange(nodes, signature, { tokenAccount, mint, owner, commitment }))),
  );
  return changes.filter((change) => change !== null);
}

/** Orders the changes of one slot so that each one's opening balance is the previous closing balance. Nodes may list them in any order. */
function linkUp(units: bigint, changes: readonly TokenChange[]): { linked: TokenChange[]; isWhole: boolean } {
  const left = [...changes];
  const linked: TokenChange[] = [];
  for (;;) {
    const at = linked.at(-1)?.after ?? units;
    const next = left.findIndex(({ before }) => before === at);
    if (next < 0) return { linked, isWhole: left.length === 0 };
    linked.push(...left.splice(next, 1));
  }
}

/** The net deposit of a transaction; none for a transfer between our own addresses. */
function depositIn({ before, after, payers, ...change }: TokenChange, address: SolanaAddress, context: ReadingContext): FoundDeposit[] {
  if (after <= before || payers.some((payer) => context.addresses.has(payer))) return [];
  return [
    {
      id: `solana_${change.signature}_${address.derivationIndex}`,
      accountId: address.accountId,
      address: address.owner,
      amount: fromUsdcUnits(after - before),
      block: change.slot,
      // On Solana the slot identifies the block.
      blockHash: `${change.slot}`,
      transaction: change.signature,
      index: address.derivationIndex,
    },
  ];
}

async function readSeen(open: readonly AccountSignature[], address: SolanaAddress, context: ReadingContext): Promise<FoundDeposit[]> {
  const idOf = (signature: string) => `solana_${signature}_${address.derivationIndex}`;
  const fresh = open.filter(({ signature, slot }) => context.known.get(idOf(signature)) !== slot).slice(0, MAX_SEEN);
  try {
    const changes = await readChanges(fresh, address, context, "confirmed");
    return changes.flatMap((change) => depositIn(change, address, context));
  } catch {
    // Shown a little later: deposits that are not final may still vanish, and final ones must not wait for them.
    return [];
  }
}
