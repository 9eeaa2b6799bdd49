// The payout job: follows sent payouts, then signs approved ones in the order of their approval, as far as the service's daily limit and the
// final money in the treasury suffice. It may die anywhere: state and signed bytes are one commit, and the next round starts from the
// stored state.

import type { ChainId } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { forEachIsolated } from "@/lib/base/for-each-isolated";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { type Head, readHead } from "@/lib/chains/evm/head";
import { prisma } from "@/lib/db/prisma";
import { withSessionLock } from "@/lib/db/session-lock";
import { isNodesFault } from "@/lib/relay/chain";
import { findRelayed, type Relayed } from "@/lib/relay/relayed";
import { isSignerUnavailable } from "@/lib/relay/signer-unavailable";
import { isPayoutRefused, type PayoutRefused, type Refusal } from "../custody/limits/payout-refused";
import { failWithdrawal } from "./decisions";
import { bookAllForgotten } from "./forgotten";
import { endOverdueAttempt, isPastItsTime, payOnBase } from "./pay-base";
import { payOnSolana } from "./pay-solana";
import { readRoom } from "./queue";
import { delayWithdrawal, findObstacles, finishWithdrawal, followAttempt, giveUpAttempt, relayIdOf } from "./steps";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import {
  countOpenWithdrawals,
  listApproved,
  listWithdrawalsIn,
  type OpenWithdrawal,
  UNDER_WAY,
  UNSIGNED,
  type WaitsFor,
} from "./withdrawal";

/** Per state, so that withdrawals waiting for approval do not block others. */
const MAX_UNSIGNED = 1_000;
const MAX_UNDER_WAY = 1_000;

/** One round. Only one of several processes works at a time. */
export const payWithdrawals = (): Promise<void> =>
  withSessionLock("pay withdrawals", async () => {
    const asked = await bookAllForgotten();
    const underWay = await listWithdrawalsIn(UNDER_WAY, MAX_UNDER_WAY);
    const unsigned = [...(await listApproved(MAX_UNSIGNED)), ...(await listWithdrawalsIn(["awaiting_approval"], MAX_UNSIGNED))];
    await measure();
    if (underWay.length + unsigned.length === 0) return;
    const head = await believedHead();
    await followAttempts(underWay, head);
    const waiting = await dropHindered(unsigned);
    const approved = waiting.filter(({ id, state }) => state === "approved" && !asked.has(id));
    if (approved.length === 0) return;
    if (!(await isPayoutAllowed())) return delayAll(approved, "reserves");
    await payInOrder(approved, head);
  });

async function measure(): Promise<void> {
  const { withdrawalsOpen } = metrics();
  withdrawalsOpen.reset();
  for (const [state, count] of await countOpenWithdrawals()) withdrawalsOpen.set({ state }, count);
}

/** Base's head; null while no node answers or it is in doubt, so that nothing is decided by it. */
async function believedHead(): Promise<Head | null> {
  try {
    const head = await readHead();
    return head.doubt === null ? head : null;
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return null;
  }
}

/** Fails withdrawals that may no longer be paid, and delays those that may not be paid now. Resolves with the others. */
async function dropHindered(withdrawals: readonly OpenWithdrawal[]): Promise<OpenWithdrawal[]> {
  const free: OpenWithdrawal[] = [];
  const obstacles = await findObstacles(withdrawals);
  const decide = async (withdrawal: OpenWithdrawal) => {
    const obstacle = obstacles.get(withdrawal.id);
    if (obstacle === undefined) free.push(withdrawal);
    else if (obstacle === "frozen") await delayWithdrawal(withdrawal, "frozen");
    else await failWithdrawal(withdrawal.id, UNSIGNED, obstacleTexts[obstacle]);
  };
  await forEachIsolated(withdrawals, decide, { what: "withdrawal" });
  return free;
}

const obstacleTexts = {
  expired: "It could not be paid within seven days.",
  unlinked: "One of its wallets was unlinked.",
};

/**
 * Orders that the signer, or their chain, refused before hold up nobody: otherwise an order that can never be paid would keep its place.
 */
const FOUND_UNPAYABLE: readonly (WaitsFor | null)[] = ["signature", "chain", "fees", "approval", "wallet"];

/**
 * Pays as far as the limit and each chain's funds suffice. A payout that the chain has no funds for is passed over. A payout that the limit
 * has no room for is not, or larger payouts would wait as long as there are smaller ones.
 */
async function payInOrder(approved: readonly OpenWithdrawal[], head: Head | null): Promise<void> {
  const funds = new Map<ChainId, NanoUsd | null>();
  const at = now();
  let room = await readRoom();
  let isFull = false;
  // By chain: an obstacle on one, such as its fees, need not hinder the other.
  const isSignerAway = new Set<ChainId>();
  const [hasFees, hasNoFees] = [new Set<string>(), new Set<string>()];
  const passed: OpenWithdrawal[] = [];
  const payNext = async (withdrawal: OpenWithdrawal) => {
    const { chain, amount, waitsFor, payFrom } = withdrawal;
    if (payFrom && payFrom > at) return delayWithdrawal(withdrawal, "waiting_time");
    if (isSignerAway.has(chain)) return delayWithdrawal(withdrawal, "signer");
    if (hasNoFees.has(feesOf(withdrawal))) return FOUND_UNPAYABLE.includes(waitsFor) ? undefined : delayWithdrawal(withdrawal, "fees");
    if (!funds.has(chain)) funds.set(chain, await readFunds(chain, head).catch(noNode));
    const left = funds.get(chain) ?? null;
    if (left === null) return delayWithdrawal(withdrawal, "chain");
    if (amount > left) return delayWithdrawal(withdrawal, "funds");
    if (isFull || amount > room) {
      if (waitsFor === "fees") passed.push(withdrawal);
      if (FOUND_UNPAYABLE.includes(waitsFor)) return;
      // One above the whole limit was ordered under a higher one, and never has its turn.
      if (amount <= config().WITHDRAWAL_SERVICE_DAILY_LIMIT_USD) isFull = true;
      return delayWithdrawal(withdrawal, "limit");
    }
    const roomBefore = room;
    room = nanoUsd(room - amount);
    funds.set(chain, nanoUsd(left - amount));
    const outcome = await pay(withdrawal);
    if (outcome === "signed") return void hasFees.add(feesOf(withdrawal));
    // Each would wait for it as long as the first, and ask the nodes for nothing.
    if (outcome === "signer_away") isSignerAway.add(chain);
    if (outcome === "no_fees") hasNoFees.add(feesOf(withdrawal));
    room = roomBefore;
    funds.set(chain, left);
  };
  await forEachIsolated(approved, payNext, { what: "withdrawal" });
  // There are fees again: from now on only its turn keeps it, and it holds its place.
  for (const withdrawal of passed) if (hasFees.has(feesOf(withdrawal))) await delayWithdrawal(withdrawal, "limit");
}

/**
 * Names the withdrawals whose fees are counted together: those of a chain, and apart those that open an account, whose rent has its own
 * bound.
 */
const feesOf = ({ chain, opensAccount }: OpenWithdrawal): string => `${chain} ${opensAccount}`;

async function readFunds(chain: ChainId, head: Head | null): Promise<NanoUsd | null> {
  if (chain === "solana") return readSolanaFunds();
  return head && readBaseFunds(head);
}

function noNode(error: unknown): null {
  if (isNodesFault(error)) return null;
  throw error;
}

async function pay(withdrawal: OpenWithdrawal): Promise<"signed" | "not_signed" | "no_fees" | "signer_away"> {
  try {
    const isSigned = await (withdrawal.chain === "base" ? payOnBase(withdrawal) : payOnSolana(withdrawal));
    return isSigned ? "signed" : "not_signed";
  } catch (error) {
    if (isPayoutRefused(error)) {
      await delayRefused(withdrawal, error);
      if (error.refusal === "fees") return "no_fees";
    } else if (isNodesFault(error)) await delayWithdrawal(withdrawal, "chain");
    else if (isSignerUnavailable(error)) {
      await delayWithdrawal(withdrawal, "signer");
      return "signer_away";
    } else throw error;
    return "not_signed";
  }
}

const waitOf: Readonly<Record<Refusal, WaitsFor>> = {
  signature: "signature",
  nonce: "signature",
  order: "signature",
  expired: "signature",
  paid: "chain",
  unavailable: "wallet",
  limit: "limit",
  approval: "approval",
  clock: "signer",
  journal: "signer",
  fees: "fees",
};

async function delayRefused(withdrawal: OpenWithdrawal, { refusal, message }: PayoutRefused): Promise<void> {
  const { id, accountId, waitsFor } = withdrawal;
  const wait = waitOf[refusal];
  // Logged once: a tampered row is processed in every round.
  if (wait === "signature" && waitsFor !== wait) {
    log().error({ withdrawal: id, accountId, refusal }, "the signer refused a withdrawal: its row differs from the signed order");
  }
  if (wait === "approval" && waitsFor !== wait) {
    log().error({ withdrawal: id }, "the signer asks for the operator's signature: npm run withdrawals -- approve <id>");
  }
  if (wait === "signer" && waitsFor !== wait) log().error({ withdrawal: id, refusal, why: message }, "the signer signs no payout");
  await delayWithdrawal(withdrawal, wait);
}

async function delayAll(withdrawals: readonly OpenWithdrawal[], why: WaitsFor): Promise<void> {
  for (const withdrawal of withdrawals) await delayWithdrawal(withdrawal, why);
}

/** False from a deficit report until a later report is covered. Already signed payouts are not stopped. */
export async function isPayoutAllowed(): Promise<boolean> {
  const where = { state: { not: "unknown" } }; // an unknown report neither stops nor resumes payouts
  const newest = await prisma().reserveReport.findFirst({ where, orderBy: { id: "desc" }, select: { state: true } });
  return newest?.state !== "deficit";
}

/**
 * Follows sent payouts in the relay's records. For a failed or lost one the money goes back or a new attempt is made, once it is proved that
 * the old one moved nothing.
 * @param head Base's head; null while it is unknown, and then no attempt on Base is given up
 */
async function followAttempts(underWay: readonly OpenWithdrawal[], head: Head | null): Promise<void> {
  const relayed = new Map((await findRelayed(underWay.map(relayIdOf))).map((one) => [one.id, one]));
  await forEachIsolated(underWay, (withdrawal) => follow(withdrawal, relayed.get(relayIdOf(withdrawal)), head), { what: "withdrawal" });
}

async function follow(withdrawal: OpenWithdrawal, relayed: Relayed | undefined, head: Head | null): Promise<void> {
  if (relayed?.state === "succeeded" && relayed.isFinal) {
    await finishWithdrawal(withdrawal, relayed.hash);
    return;
  }
  if (withdrawal.chain === "base" && head && isPastItsTime(withdrawal, head)) {
    await endOverdueAttempt(withdrawal, head, relayed).catch(tryLater);
    return;
  }
  if (!relayed) return;
  if (withdrawal.chain === "solana" && relayed.state === "lost") await giveUpAttempt(withdrawal);
  else if (withdrawal.chain === "solana" && relayed.state === "failed" && relayed.isFinal) {
    await failWithdrawal(withdrawal.id, UNDER_WAY, "The chain rejected the payment.");
  } else if (relayed.state === "succeeded") await followAttempt(withdrawal, "confirmed", relayed.hash);
  else if (relayed.state === "sent" || relayed.state === "failed") await followAttempt(withdrawal, "sent", relayed.hash);
}

function tryLater(error: unknown): void {
  if (!isEvmFailure(error)) throw error;
}
