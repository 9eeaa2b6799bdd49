"use client";

// Finds the cost of runs that have ended on their page. A stopped run may go on at its provider for minutes.

import { useEffect, useRef } from "react";
import { isAbandoned, type Run, type RunCost, type RunReceipt } from "./run";

/** Finds the recorded state of a run; null when it cost nothing. */
export type FindCost = (requestId: string) => Promise<RunCost | null>;

interface RunCostsOptions {
  /** The runs that were read from this browser, the newest first; null until they are. */
  kept: readonly Run[] | null;
  change: (runId: number, changes: Partial<Run>) => void;
  save: () => void;
  findCost: FindCost;
  /** A run goes on without its page: what it reserves is not available meanwhile. */
  onLong: () => void;
}

interface CostWait {
  find: () => Promise<RunCost | null>;
  /** Before each of the first looks. */
  pausesMs: readonly number[];
  /** Nobody waits any more. */
  isGone: () => boolean;
  /** The first looks are over, and it goes on. */
  onLong: () => void;
  pause?: (ms: number) => Promise<void>;
}

const MAX_RECOVERED = 3;
/** A left run is mostly charged within moments; of a complete one the charge came before its end. */
const PAUSES_MS = { left: [300, 1_000, 3_000, 6_000], complete: [0] } as const;
const FIRST_LONG_PAUSE_MS = 6_000;
const LONGEST_PAUSE_MS = 30_000;
/** A hold past its deadline is ended by a job, which runs every few seconds. */
const OVERDUE_MS = 30_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Returns a function that finds the cost of an ended run, and keeps it with the run. */
export function useRunCosts({ kept, change, save, findCost, onLong }: RunCostsOptions): (run: Run) => Promise<void> {
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);

  const settle = async ({ id, requestId }: Run, pausesMs: readonly number[]): Promise<void> => {
    if (!requestId) return;
    change(id, { isFinishing: true });
    const find = () => findCost(requestId);
    const receipt = await awaitCost({ find, pausesMs, isGone: () => isGone.current, onLong });
    if (isGone.current) return; // the page that was opened since keeps what it finds
    change(id, receipt ? { receipt, isFinishing: false } : { isFinishing: false });
    save();
  };

  const isRead = kept !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the runs that the page was left with
  useEffect(() => {
    const open = (kept ?? []).filter(isAbandoned).slice(0, MAX_RECOVERED);
    for (const run of open) void settle(run, [0]);
  }, [isRead]);

  return (run) => settle(run, isAbandoned(run) ? PAUSES_MS.left : PAUSES_MS.complete);
}

/** Looks soon at first, then ever more rarely, at most until the run must have ended. Null when it was not charged by then. */
export async function awaitCost({ find, pausesMs, isGone, onLong, pause = sleep }: CostWait): Promise<RunReceipt | null> {
  let found: RunCost | null = null;
  // A failed request changes nothing: the result before it still holds.
  const look = async (ms: number): Promise<RunCost | null> => {
    await pause(ms);
    const before = found?.state === "in_progress" ? { ...found, endsInMs: found.endsInMs - ms } : found;
    return isGone() ? null : find().catch(() => before);
  };
  for (const ms of pausesMs) {
    found = await look(ms);
    if (found?.state === "charged") return found.receipt;
  }
  if (found) onLong();
  let ms = FIRST_LONG_PAUSE_MS;
  while (found?.state === "in_progress" && found.endsInMs > -OVERDUE_MS) {
    found = await look(ms);
    ms = Math.min(ms * 1.5, LONGEST_PAUSE_MS);
  }
  return found?.state === "charged" ? found.receipt : null;
}
