// A round's work on accounts with something to read: the first read of each, and later a rescan, from another node if there is one. A node
// may omit transactions without any error; the rescan finds deposits that the first read missed.

import { HOUR_MS, now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import type { Lease } from "./lease";
import { ACCOUNT_START, type ReadPoint, type SolanaAddress } from "./solana-cursor";
import { isNodesFailure } from "./solana-poll";
import { type Reading, type ReadingContext, readFrom } from "./solana-reading";
import { agreedOf, findUnbooked, recordSteps, type Step } from "./solana-record";

export interface Round extends ReadingContext {
  lease: Lease;
  /** With the accounts' current `read` and `checked` cursors. */
  addresses: Map<string, SolanaAddress>;
  signal: AbortSignal | undefined;
}

export interface RoundWork {
  /** Number of new deposits. */
  found: number;
  credited: number;
  /** Token accounts with more to read. */
  open: Set<string>;
  gaps: number;
  /** Why some accounts could not be read; null when all were. */
  failure: unknown;
}

const ACCOUNTS_AT_ONCE = 32;
const RESCAN_AFTER_MS = 60_000;
const RESCAN_IDLE_AFTER_MS = HOUR_MS;

/**
 * Reads accounts on, and credits final deposits. An account that cannot be read does not delay the others.
 * @throws LeaseLost
 */
export async function readAccounts(addresses: readonly SolanaAddress[], round: Round): Promise<RoundWork> {
  const work: RoundWork = { found: 0, credited: 0, open: new Set(), gaps: 0, failure: null };
  for (const some of inParts(addresses)) {
    const { readings, failure } = await readEach(some, (address) => readOn(address, round));
    work.failure ??= failure;
    const agreed = new Set(await agreedOf(readings, round.nodes));
    await record([...agreed].flatMap(firstStep), round, work);
    for (const reading of readings) {
      if (reading.isOpen || !agreed.has(reading)) work.open.add(reading.address.tokenAccount);
      if (reading.hasGap) work.gaps += 1;
    }
    // When no node answers, the other accounts would only wait for timeouts too.
    if (round.signal?.aborted || (failure !== null && readings.length === 0)) break;
  }
  return work;
}

const inParts = (addresses: readonly SolanaAddress[]) =>
  Array.from({ length: Math.ceil(addresses.length / ACCOUNTS_AT_ONCE) }, (_, part) =>
    addresses.slice(part * ACCOUNTS_AT_ONCE, (part + 1) * ACCOUNTS_AT_ONCE),
  );

/** Resolves with the successful readings, and the failure of the rest. */
async function readEach(addresses: readonly SolanaAddress[], read: (address: SolanaAddress) => Promise<Reading>) {
  let failure: unknown = null;
  const readings = await Promise.all(
    addresses.map(async (address) => {
      try {
        return await read(address);
      } catch (error) {
        if (!isNodesFailure(error)) throw error;
        failure ??= error;
        return null;
      }
    }),
  );
  return { readings: readings.filter((reading) => reading !== null), failure };
}

/** Reads from the read cursor; when that leaves a gap, from the rescan cursor. */
async function readOn(address: SolanaAddress, round: Round): Promise<Reading> {
  const reading = await readFrom(address.read, address, round);
  if (!reading.hasGap || address.checked.signature === address.read.signature) return reading;
  const older = await readFrom(address.checked, address, round);
  return older.hasGap ? reading : older;
}

const inMs = (ms: number) => new Date(now().getTime() + ms);

function firstStep(reading: Reading): Step[] {
  const { address, end, passed, seen, hasGap } = reading;
  if (passed.length === 0 && seen.length === 0 && !hasGap) return [];
  const soon = inMs(RESCAN_AFTER_MS);
  const checkAt = address.checkAt !== null && address.checkAt < soon ? address.checkAt : soon;
  return [{ reading, read: end, checked: address.checked, checkAt }];
}

async function record(steps: readonly Step[], round: Round, work: Pick<RoundWork, "found" | "credited">): Promise<void> {
  if (steps.length === 0) return;
  const ids = steps.flatMap(({ reading }) => [...reading.found, ...reading.seen].map(({ id }) => id));
  const unbooked = await findUnbooked(ids);
  work.credited += await recordSteps(round.lease, steps);
  work.found += unbooked.filter((id) => !round.known.has(id)).length;
  for (const { reading, read, checked, checkAt } of steps) {
    round.addresses.set(reading.address.tokenAccount, { ...reading.address, read, checked, checkAt });
  }
}

/**
 * Reads these accounts again, from their last rescan up to where they had been read before this round.
 * @throws LeaseLost
 */
export async function rescanAccounts(due: readonly SolanaAddress[], round: Round): Promise<Pick<RoundWork, "found" | "credited">> {
  const work = { found: 0, credited: 0 };
  const others: Round = { ...round, nodes: round.nodes.othersFirst() };
  // A failed rescan stays due, so the next tick retries it.
  const { readings } = await readEach(due, (address) => rescanAccount(address, others));
  const agreed = await agreedOf(readings, round.nodes);
  await logMissed(agreed);
  await record(agreed.map(rescanStep), round, work);
  return work;
}

async function rescanAccount({ tokenAccount, read }: SolanaAddress, round: Round): Promise<Reading> {
  const address = round.addresses.get(tokenAccount);
  if (!address) throw new Error("assertion failed: a round reads its own addresses");
  const { checked } = address;
  const nothing = { address, end: checked, passed: [], found: [], seen: [], isOpen: false, hasGap: false };
  if (checked.signature === read.signature) return nothing;
  const context = { ...round, upToSlot: read.slot };
  const reading = await readFrom(checked, address, context);
  if (!reading.hasGap) return reading;
  const whole = await readFrom(ACCOUNT_START, address, context);
  if (whole.hasGap) log().error({ tokenAccount }, "transactions of a Solana token account are missing: no node lists all of them");
  return whole.hasGap ? { ...nothing, hasGap: true } : whole;
}

function rescanStep(reading: Reading): Step {
  const { address, end, hasGap } = reading;
  // The rescan takes precedence over the first read, which may have been misled.
  const read: ReadPoint = end.slot === address.read.slot ? end : address.read;
  const isDone = end.signature === read.signature;
  return { reading, read, checked: end, checkAt: inMs(isDone || hasGap ? RESCAN_IDLE_AFTER_MS : RESCAN_AFTER_MS) };
}

async function logMissed(readings: readonly Reading[]): Promise<void> {
  const missed = await findUnbooked(readings.flatMap(({ found }) => found.map(({ id }) => id)));
  if (missed.length > 0) log().error({ deposits: missed }, "a Solana node omitted deposits on the first read; the rescan found them");
}
