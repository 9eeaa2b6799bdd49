"use client";

import { useCallback, useEffect, useRef } from "react";
import { useKeptRuns } from "./kept/use-kept-runs";
import { isAbandoned, isRunning, newRun, type Run, type RunFields, type RunTerms } from "./run";
import { fetchPrice, type PlaygroundEndpoints, requestAnswer, unreachable } from "./run-request";
import { type FindCost, useRunCosts } from "./use-run-costs";

/** Nano-USD; null when it is unknown. */
export type ReadAvailable = () => Promise<bigint | null>;

interface UseRunsOptions {
  accountId: string;
  endpoints: PlaygroundEndpoints;
  findCost: FindCost;
  readAvailable: ReadAvailable;
  /** A run has ended, and its hold is released or charged. */
  onEnded: (available: bigint | null) => void;
}

/** A browser breaks a page's connections off when it begins to load another, before it says that this one is hidden. */
const LEAVING_MS = 3_000;
/** A price that takes longer is of no use. */
const PRICE_TIMEOUT_MS = 10_000;

/** The session is over: asking for a balance would only leave the page. */
const isSignedOut = ({ problem }: Partial<Run>): boolean => problem?.reason === "signed_out" || problem?.reason === "stale_page";

/** The runs of this browser, newest first. */
export function useRuns({ accountId, endpoints, findCost, readAvailable, onEnded }: UseRunsOptions) {
  const { runs, latest, add, change, save } = useKeptRuns(accountId);
  const stopping = useRef<AbortController>(null);

  // Leaving the page stops the run, like closing the tab.
  useEffect(() => () => stopping.current?.abort(), []);
  const leftAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const recordLeaving = () => {
      leftAt.current = performance.now();
    };
    window.addEventListener("beforeunload", recordLeaving);
    return () => window.removeEventListener("beforeunload", recordLeaving);
  }, []);

  const readBalance = async (): Promise<void> => {
    const available = await readAvailable().catch(() => null);
    const [newest] = latest.current;
    // A run that has begun meanwhile has changed it again, and its own end reads it.
    if (!newest || !isRunning(newest)) onEnded(available);
  };

  const settle = useRunCosts({ latest, change, save, findCost, onLong: () => void readBalance() });

  const start = async (fields: RunFields, terms: RunTerms): Promise<void> => {
    const [last] = latest.current;
    if (last && isRunning(last)) return;
    const run = newRun(Math.max(Date.now(), (last?.id ?? 0) + 1), fields, terms);
    add(run);
    const stop = new AbortController();
    stopping.current = stop;
    if (terms.ceiling === null || terms.whenLeft === null) {
      // Not cut short by a stop: the price also says what that means.
      const priced = fetchPrice(endpoints, { ...fields, payment: undefined }, AbortSignal.timeout(PRICE_TIMEOUT_MS));
      void priced.then((quote) => quote && change(run.id, { ceiling: quote.ceiling, whenLeft: quote.whenLeft })).catch(() => null);
    }
    const isStopped = () => stop.signal.aborted || performance.now() - leftAt.current < LEAVING_MS;
    const end = await follow(run, { endpoints, signal: stop.signal, isStopped, onProgress: (changes) => change(run.id, changes) });
    change(run.id, end);
    save();
    if (isSignedOut(end)) return;
    const ended = { ...run, ...end };
    if (isAbandoned(ended) || ended.receipt) await settle(ended);
    await readBalance();
  };

  const stop = useCallback(() => stopping.current?.abort(), []);
  return { runs, start, stop };
}

interface Following {
  endpoints: PlaygroundEndpoints;
  signal: AbortSignal;
  isStopped: () => boolean;
  onProgress: (changes: Partial<Run>) => void;
}

/** Follows a run to its end; resolves with what is known of it by then. */
async function follow({ fields }: Run, { endpoints, signal, isStopped, onProgress }: Following): Promise<Partial<Run>> {
  const startedAt = performance.now();
  const sinceStart = () => Math.round(performance.now() - startedAt);
  const known: Partial<Run> = { text: "", requestId: null };
  let frame = 0;
  // A model may send hundreds of pieces a second; the page renders once per frame.
  const drawSoon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      onProgress({ ...known });
    });
  };
  try {
    for await (const event of requestAnswer(endpoints, fields, signal)) {
      if (event.type === "opened") Object.assign(known, { state: "writing", requestId: event.requestId, firstTokenMs: sinceStart() });
      else if (event.type === "text") known.text += event.text;
      else if (event.type === "done") Object.assign(known, { state: "done", receipt: event.receipt, payment: event.payment });
      else Object.assign(known, { state: "failed", problem: event.problem, requestId: event.problem.requestId ?? known.requestId });
      drawSoon();
    }
    if (known.state !== "done" && known.state !== "failed") Object.assign(known, { state: "failed", problem: unreachable(true) });
  } catch {
    // The reader stopped it, or the connection broke.
    Object.assign(known, isStopped() ? { state: "stopped" } : { state: "failed", problem: unreachable(known.state === "writing") });
  }
  cancelAnimationFrame(frame);
  return { ...known, totalMs: sinceStart() };
}
