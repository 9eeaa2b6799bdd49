// Sweeps on Solana: several owners in one transaction, whose fee the treasury pays. It is signed again only when the previous one can no
// longer run.

import { findAccount } from "@/lib/chains/solana/accounts";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { type RecentBlockhash, readBlockhash } from "@/lib/chains/solana/transactions";
import { inTransaction } from "@/lib/db/prisma";
import { type RelayNodes, solanaOf } from "@/lib/relay/chain";
import { sendStored } from "@/lib/relay/send";
import { storeSigned } from "@/lib/relay/signed";
import { signer } from "../custody/signer";
import { MAX_OWNERS } from "../custody/sweep-instructions";
import { readFinalOnSolana } from "./balances";
import { delaySweeps, giveUpSweep, listDue, nextRelayedId, type PlannedSweep, SweepTaken, takeSweeps } from "./sweep";

/** Ten transactions, which fit into the lifetime of one blockhash. */
const MAX_AT_ONCE = 10 * MAX_OWNERS;
/** 0.005 SOL: the rent of the treasury's own token account, and the fees of a round. */
const MIN_LAMPORTS = 5_000_000n;

/** Signs and sends due sweeps. @throws SolanaUnavailable */
export async function sendDueOnSolana(given: RelayNodes): Promise<void> {
  const due = await listDue("solana", MAX_AT_ONCE);
  if (due.length === 0) return;
  const nodes = solanaOf(given);
  const treasury = signer().treasury.solana;
  const lamports = (await findAccount(nodes, treasury))?.lamports ?? 0n;
  if (lamports < MIN_LAMPORTS) return delaySweeps(due, "no_gas_money");
  const ready = await checkDue(due, treasury, nodes);
  if (ready.length === 0) return;
  const blockhash = await readBlockhash(nodes);
  const stored: string[] = [];
  for (const group of groupsOf(ready)) stored.push(...(await store(group, treasury, blockhash)));
  if (stored.length > 0) await sendStored(stored, { solana: nodes });
}

/** The sweeps whose account still has the planned amount and is not frozen. */
async function checkDue(due: readonly PlannedSweep[], treasury: string, nodes: SolanaNodes): Promise<PlannedSweep[]> {
  const addresses = [treasury, ...due.map(({ address }) => address)];
  const { block, balances: all } = await readFinalOnSolana(addresses, signer().usdcMint, nodes);
  const [ofTreasury, ...balances] = all;
  if (ofTreasury?.isFrozen) {
    await delaySweeps(due, "treasury_blocked");
    return [];
  }
  const ready: PlannedSweep[] = [];
  for (const [at, sweep] of due.entries()) {
    const { units = 0n, isFrozen = false } = balances[at] ?? {};
    if (isFrozen) await delaySweeps([sweep], "address_blocked");
    else if (units >= sweep.units) ready.push(sweep);
    // A lagging node proves nothing about newer balances.
    else if (block >= sweep.readBlock) await giveUpSweep("solana", sweep);
  }
  return ready;
}

/** A sweep that failed in a group goes alone, so that it does not block others. */
function groupsOf(sweeps: readonly PlannedSweep[]): PlannedSweep[][] {
  const isAlone = ({ reason }: PlannedSweep) => reason === "failed";
  const together = sweeps.filter((sweep) => !isAlone(sweep));
  const groups = sweeps.filter(isAlone).map((sweep) => [sweep]);
  for (let from = 0; from < together.length; from += MAX_OWNERS) groups.push(together.slice(from, from + MAX_OWNERS));
  return groups;
}

/** Stores a group and returns its relay id; none when another process took one of its sweeps. */
async function store(group: readonly PlannedSweep[], feePayer: string, { blockhash, ...used }: RecentBlockhash): Promise<string[]> {
  const [first] = group;
  if (!first) return [];
  const id = nextRelayedId(first);
  const signed = await signer().signSweepOnSolana({ owners: group, blockhash });
  try {
    await inTransaction(async (transaction) => {
      await takeSweeps(group, id, transaction);
      await storeSigned({ id, feePayer, ...signed, ...used }, transaction);
    });
    return [id];
  } catch (error) {
    if (error instanceof SweepTaken) return [];
    throw error;
  }
}
