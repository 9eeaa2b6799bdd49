// Which addresses are swept: those whose deposits are final and lie there still. Their real balance is read from the chain, and
// is what is swept.

import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { newSweepId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import type { RelayNodes } from "@/lib/relay/chain";
import { signer } from "../signer";
import { readFinalBalances } from "./balances";
import { readUnitsUnderWay, type SweepChain } from "./sweep";

/** Planned in one round. */
const MAX_AT_ONCE = 50;
const NANO_PER_UNIT = 1_000n;
/** Less is not worth its gas, whoever waits: 0.10 USDC. */
const MIN_UNITS = 100_000n;

interface Candidate {
  index: number;
  address: string;
}

/** Plans sweeps of whatever address has SWEEP_MINIMUM_USD. @throws EvmFailure, SolanaUnavailable */
export async function planSweeps(chain: SweepChain, nodes: RelayNodes): Promise<void> {
  const least = config().SWEEP_MINIMUM_USD / NANO_PER_UNIT;
  const found = await findWorthwhile(chain, nodes, least > MIN_UNITS ? least : MIN_UNITS);
  await write(chain, found);
}

/**
 * Plans as many sweeps as bring `units` to the treasury, with those that are under way, from as few addresses as it takes, and
 * from such as have less than is swept otherwise, too.
 * @throws EvmFailure, SolanaUnavailable
 */
export async function planFor(chain: SweepChain, units: bigint, nodes: RelayNodes): Promise<void> {
  let missing = units - (await readUnitsUnderWay(chain));
  if (missing <= 0n) return;
  const { block, sweeps } = await findWorthwhile(chain, nodes, MIN_UNITS);
  const wanted: Found["sweeps"] = [];
  for (const sweep of sweeps.sort((one, other) => (one.units > other.units ? -1 : 1))) {
    if (missing <= 0n) break;
    wanted.push(sweep);
    missing -= sweep.units;
  }
  await write(chain, { block, sweeps: wanted });
}

interface Found {
  block: number;
  sweeps: (Candidate & { units: bigint })[];
}

async function findWorthwhile(chain: SweepChain, nodes: RelayNodes, leastUnits: bigint): Promise<Found> {
  await pool().query("SELECT wallets_note_swept($1)", [chain]);
  const candidates = await listCandidates(chain, leastUnits);
  const nothing = { block: 0, sweeps: [] };
  if (candidates.length === 0) return nothing;
  const addresses = candidates.map(({ address }) => address);
  const read = await readFinalBalances(chain, addresses, { nodes, mint: signer().usdcMint });
  if (read === null) return nothing;
  const sweeps = candidates.map((candidate, at) => ({ ...candidate, units: read.balances[at]?.units ?? 0n }));
  return { block: read.block, sweeps: sweeps.filter(({ units }) => units >= leastUnits) };
}

/** Addresses without a sweep under way whose final deposits that no sweep took are at least `leastUnits`, those with most first. */
async function listCandidates(chain: SweepChain, leastUnits: bigint): Promise<Candidate[]> {
  const { rows } = await pool().query<Candidate>(
    `SELECT w.derivation_index AS "index", d.address
     FROM deposit d JOIN custodial_wallet w ON w.account_id = d.account_id AND d.address IN (w.base_address, w.solana_owner)
     WHERE d.chain = $1 AND d.finalized AND d.swept_by IS NULL AND d.state IN ('credited', 'below_minimum')
       AND NOT EXISTS (SELECT FROM sweep s WHERE s.chain = d.chain AND s.address = d.address AND s.state IN ('planned', 'relayed'))
     GROUP BY w.derivation_index, d.address HAVING sum(d.amount) >= $2 ORDER BY sum(d.amount) DESC LIMIT $3`,
    [chain, leastUnits * NANO_PER_UNIT, MAX_AT_ONCE],
  );
  return rows;
}

async function write(chain: SweepChain, { block, sweeps }: Found): Promise<void> {
  if (sweeps.length === 0) return;
  const rows = sweeps.map((sweep) => ({ id: newSweepId(), ...sweep, units: sweep.units.toString() }));
  await pool().query("SELECT wallets_plan_sweeps($1, $2, $3, $4)", [chain, JSON.stringify(rows), block, now()]);
}
