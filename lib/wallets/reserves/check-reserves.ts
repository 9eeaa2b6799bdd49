// The job that reports reserves: every run stores a report, changes are logged, and a deficit stops payouts.

import { now, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { nanoUsd, usdText } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import type { Violation } from "@/lib/ledger/check";
import { evmOf, type RelayNodes, solanaOf } from "@/lib/relay/chain";
import { NotKnown } from "./not-known";
import { type Reckoning, reconcile } from "./reconcile";
import { addReport, findKnownReport, findNewestReport, type KnownReport, type ReserveReport } from "./report";

/** Only one of several processes makes reports: a process that finds a report younger than this makes none. */
const FRESH_MS = 30_000;

/** The job's run. */
export async function reportReserves(): Promise<void> {
  const newest = await findNewestReport();
  const isFresh = newest !== null && Math.abs(nowMs() - newest.at.getTime()) < FRESH_MS;
  measure(isFresh ? newest : await checkReserves());
}

/** Reconciles, stores the report, and logs changes. */
export async function checkReserves(nodes: RelayNodes = {}): Promise<ReserveReport> {
  const [before, newest] = [await findKnownReport(), await findNewestReport()];
  const report = await reckonReserves(nodes);
  await addReport(report);
  logChange(report, before, newest);
  return report;
}

/** The current report, without storing it. */
export async function reckonReserves(nodes: RelayNodes = {}): Promise<ReserveReport> {
  try {
    const first = await reconcile(nodes);
    if (!isShort(first)) return { ...first, state: "covered" };
    return await confirm(first, nodes);
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error;
    log().debug({ reason: error.reason, chain: error.chain, detail: error.message }, "reserves are unknown");
    return { state: "unknown", at: now(), reason: error.reason, chain: error.chain };
  }
}

const isShort = ({ held, owed }: Reckoning): boolean => held < owed;

/** A deficit counts only when a second reconciliation confirms it, through other nodes where there are some. @throws NotKnown */
async function confirm(first: Reckoning, nodes: RelayNodes): Promise<KnownReport> {
  await refuseUnbacked(first);
  const second = await reconcile({ evm: othersFirst(evmOf(nodes)), solana: solanaOf(nodes).othersFirst() });
  if (isShort(second)) return { ...second, state: "deficit" };
  const [was, is] = [first, second].map(({ held, owed }) => usdText(held - owed));
  throw new NotKnown("disputed", null, `the first reading was short by ${was} USD, the second by ${is} USD`);
}

/** A sandbox's grants reach its chain a little later than the ledger. @throws NotKnown */
async function refuseUnbacked({ held, owed, granted }: Reckoning): Promise<void> {
  if (granted === 0n) return;
  const backed = (await findKnownReport("covered"))?.granted ?? 0n;
  if (owed - held <= granted - backed) throw new NotKnown("starting", null, "faucet grants are not on the chain yet");
}

/** The same nodes, but the first that answers is used only when no other does. */
function othersFirst(nodes: EvmNodes): EvmNodes {
  return {
    ...nodes,
    callFirst: (use) =>
      nodes.callFirst(async (node) => {
        const [answer] = await nodes.callOthers(node, async (other) => ({ of: await use(other) }));
        return answer ? answer.of : use(node);
      }),
  };
}

/** The deficit in the newest known report, as a violated invariant of the books. */
export async function findDeficit(): Promise<Violation[]> {
  const report = await findKnownReport();
  if (report?.state !== "deficit") return [];
  const { owed, held } = report;
  return [{ invariant: "what is owed is held on the chains", subject: "reserves", expected: owed.toString(), actual: held.toString() }];
}

function logChange(report: ReserveReport, before: KnownReport | null, newest: ReserveReport | null): void {
  if (report.state === "unknown") {
    const isNews = newest?.state !== "unknown" || newest.reason !== report.reason || newest.chain !== report.chain;
    // A sandbox's chains start with the service: its first report comes before them.
    const level = config().MODE === "live" ? "warn" : "debug";
    if (isNews) log()[level]({ reason: report.reason, chain: report.chain }, "reserves are unknown: a chain could not be read");
    return;
  }
  const { held, owed, holdings } = report;
  const figures = { heldUsd: usdText(held), owedUsd: usdText(owed), heights: holdings.map(({ chain, height }) => ({ chain, height })) };
  if (report.state === "deficit") {
    const isNews = before?.state !== "deficit" || before.owed - before.held !== owed - held;
    if (isNews) log().error({ ...figures, missingUsd: usdText(owed - held) }, "reserves do not cover what is owed: withdrawals are paused");
  } else if (before?.state === "deficit") {
    log().warn(figures, "reserves cover what is owed again: withdrawals resume");
  }
}

function measure(report: ReserveReport): void {
  const { reservesOwed, reservesHeld, reservesSurplus, reservesReportedAt, reservesUnknown } = metrics();
  reservesUnknown.set(report.state === "unknown" ? 1 : 0);
  reservesReportedAt.set(report.at.getTime() / 1_000);
  if (report.state === "unknown") return;
  reservesOwed.set(Number(report.owed));
  reservesSurplus.set(Number(nanoUsd(report.held - report.owed)));
  for (const { chain, treasury, atAddresses } of report.holdings) reservesHeld.set({ chain }, Number(treasury + atAddresses));
}
