// A round's work on accounts that have something to read: the first reading of each, and later a rescan, from another node if there
// is one. A node may leave transactions out without any error; what the first reading did not get is found by the rescan.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import type { Lease } from "./lease";
import { ACCOUNT_START, type ReadPoint, type SolanaAddress } from "./solana-cursor";
import { isNodesFailure } from "./solana-poll";
import { type Reading, type ReadingContext, readFrom } from "./solana-reading";
import { agreedOf, findUnbooked, recordSteps, type Step } from "./solana-record";

export interface Round extends ReadingContext {
  lease: Lease;
  /** Its `read` and `checked` are where the accounts stand now. */
  addresses: Map<string, SolanaAddress>;
  signal: AbortSignal | undefined;
}

export interface RoundWork {
  /** Deposits that were not known. */
  found: number;
  credited: number;
  /** Token accounts that have more to read. */
  open: Set<string>;
  gaps: number;
  /** Why some could not be read; null when all were. */
  failure: unknown;
}

const ACCOUNTS_AT_ONCE = 32;
const RESCAN_AFTER_MS = 60_000;
const RESCAN_IDLE_AFTER_MS = 3_600_000;

/**
 * Reads accounts on, and credits what is final. One that can not be read holds up no other.
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
    // When no node answers, the others would wait as long for nothing.
    if (round.signal?.aborted || (failure !== null && readings.length === 0)) break;
  }
  return work;
}

const inParts = (addresses: readonly SolanaAddress[]) =>
  Array.from({ length: Math.ceil(addresses.length / ACCOUNTS_AT_ONCE) }, (_, part) =>
    addresses.slice(part * ACCOUNTS_AT_ONCE, (part + 1) * ACCOUNTS_AT_ONCE),
  );

/** Resolves with what could be read, and why the rest could not. */
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

/** From where the account was left; when that does not link up, from where it was rescanned. */
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
 * Reads again what was read before this round of these accounts, since they were read so the last time.
 * @throws LeaseLost
 */
export async function rescanAccounts(due: readonly SolanaAddress[], round: Round): Promise<Pick<RoundWork, "found" | "credited">> {
  const work = { found: 0, credited: 0 };
  const others: Round = { ...round, nodes: round.nodes.othersFirst() };
  // What fails is tried again at the next tick: it is due until it is done.
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
  if (whole.hasGap) log().error({ tokenAccount }, "transactions of a token account on Solana are missing: no node lists all of them");
  return whole.hasGap ? { ...nothing, hasGap: true } : whole;
}

function rescanStep(reading: Reading): Step {
  const { address, end, hasGap } = reading;
  // It counts for more than the first one, which may have been misled.
  const read: ReadPoint = end.slot === address.read.slot ? end : address.read;
  const isDone = end.signature === read.signature;
  return { reading, read, checked: end, checkAt: inMs(isDone || hasGap ? RESCAN_IDLE_AFTER_MS : RESCAN_AFTER_MS) };
}

async function logMissed(readings: readonly Reading[]): Promise<void> {
  const missed = await findUnbooked(readings.flatMap(({ found }) => found.map(({ id }) => id)));
  if (missed.length > 0) log().error({ deposits: missed }, "a node of Solana left deposits out when they were first read");
}
