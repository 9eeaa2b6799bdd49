// Plans sweeps of addresses with final deposits that were not swept yet. The amount is the address' actual balance on the chain.

import type { ChainId } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { newSweepId } from "@/lib/base/ids";
import { inTransaction, prisma, type Transaction } from "@/lib/db/prisma";
import type { RelayNodes } from "@/lib/relay/chain";
import { signer } from "../custody/signer";
import { readFinalBalances } from "./balances";
import { lockPlanning, readUnitsUnderWay, UNDER_WAY } from "./sweep";

/** Maximum sweeps planned per round. */
const MAX_AT_ONCE = 50;
const NANO_PER_UNIT = 1_000n;
/** 0.10 USDC: less is not worth the gas, even for a waiting withdrawal. */
const MIN_UNITS = 100_000n;

interface Candidate {
  index: number;
  address: string;
}

/** Plans a sweep of each address with at least SWEEP_MINIMUM_USD. @throws EvmFailure, SolanaUnavailable */
export async function planSweeps(chain: ChainId, nodes: RelayNodes): Promise<void> {
  const minUnits = config().SWEEP_MINIMUM_USD / NANO_PER_UNIT;
  const found = await findWorthwhile(chain, nodes, minUnits > MIN_UNITS ? minUnits : MIN_UNITS);
  await storeSweeps(chain, found);
}

/**
 * Plans sweeps that, together with those in progress, bring `units` to the treasury: from as few addresses as possible, including those
 * below SWEEP_MINIMUM_USD.
 * @throws EvmFailure, SolanaUnavailable
 */
export async function planFor(chain: ChainId, units: bigint, nodes: RelayNodes): Promise<void> {
  let missing = units - (await readUnitsUnderWay(chain));
  if (missing <= 0n) return;
  const { block, sweeps } = await findWorthwhile(chain, nodes, MIN_UNITS);
  const wanted: Found["sweeps"] = [];
  for (const sweep of sweeps.sort((one, other) => (one.units > other.units ? -1 : 1))) {
    if (missing <= 0n) break;
    wanted.push(sweep);
    missing -= sweep.units;
  }
  await storeSweeps(chain, { block, sweeps: wanted });
}

interface Found {
  block: number;
  sweeps: (Candidate & { units: bigint })[];
}

async function findWorthwhile(chain: ChainId, nodes: RelayNodes, minUnits: bigint): Promise<Found> {
  await inTransaction(async (transaction) => {
    await lockPlanning(chain, transaction);
    await recordSwept(chain, transaction);
  });
  const candidates = await listCandidates(chain, minUnits);
  const nothing = { block: 0, sweeps: [] };
  if (candidates.length === 0) return nothing;
  const addresses = candidates.map(({ address }) => address);
  const read = await readFinalBalances(chain, addresses, { nodes, mint: signer().usdcMint });
  if (read === null) return nothing;
  const sweeps = candidates.map((candidate, at) => ({ ...candidate, units: read.balances[at]?.units ?? 0n }));
  return { block: read.block, sweeps: sweeps.filter(({ units }) => units >= minUnits) };
}

/** Addresses without a sweep in progress whose unswept final deposits are at least `minUnits`, the largest first. */
async function listCandidates(chain: ChainId, minUnits: bigint): Promise<Candidate[]> {
  // Raw SQL: a sum over a join with an anti-join.
  return prisma().$queryRaw<Candidate[]>`
    SELECT w.derivation_index AS "index", d.address
    FROM deposit d JOIN custodial_wallet w ON w.base_address = d.address OR w.solana_owner = d.address
    WHERE d.chain = ${chain} AND d.finalized AND d.swept_by IS NULL AND d.state IN ('credited', 'below_minimum')
      AND NOT EXISTS (SELECT FROM sweep s WHERE s.chain = d.chain AND s.address = d.address AND s.state IN ('planned', 'relayed'))
    GROUP BY w.derivation_index, d.address HAVING sum(d.amount) >= ${minUnits * NANO_PER_UNIT}
    ORDER BY sum(d.amount) DESC LIMIT ${MAX_AT_ONCE}`;
}

/** Stores each sweep unless its address has one in progress, or had one since its balance was read. */
async function storeSweeps(chain: ChainId, { block, sweeps }: Found): Promise<void> {
  if (sweeps.length === 0) return;
  const at = now();
  await inTransaction(async (transaction) => {
    // After the lock, each statement sees the plans of the previous process.
    await lockPlanning(chain, transaction);
    const isSwept = { OR: [{ state: { in: UNDER_WAY } }, { state: "done", block: { gt: block } }] };
    const addresses = sweeps.map(({ address }) => address);
    const taken = await transaction.sweep.findMany({ where: { chain, address: { in: addresses }, ...isSwept }, select: { address: true } });
    const known = new Set(taken.map(({ address }) => address));
    await transaction.sweep.createMany({
      data: sweeps
        .filter(({ address }) => !known.has(address))
        .map(({ index, address, units }) => ({
          id: newSweepId(),
          chain,
          derivationIndex: index,
          address,
          units,
          readBlock: block,
          state: "planned",
          tryAt: at,
          plannedAt: at,
        })),
    });
    await recordSwept(chain, transaction);
  });
}

/**
 * Assigns final deposits to sweeps: each to the first sweep whose balance was read at the deposit's block or later, even if the deposit was
 * found or became final only after that.
 */
async function recordSwept(chain: ChainId, transaction: Transaction): Promise<void> {
  // Raw SQL: a set update with values from another table.
  await transaction.$executeRaw`
    UPDATE deposit d SET swept_by = (
        SELECT s.id FROM sweep s
        WHERE s.chain = d.chain AND s.address = d.address AND s.read_block >= d.block AND s.state <> 'failed'
        ORDER BY s.read_block, s.id LIMIT 1)
      WHERE d.chain = ${chain} AND d.finalized AND d.swept_by IS NULL AND EXISTS (
        SELECT FROM sweep s WHERE s.chain = d.chain AND s.address = d.address AND s.read_block >= d.block AND s.state <> 'failed')`;
}
