"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { isRunning, newRun, type Run, type RunFields, type RunReceipt } from "./run";
import { type PlaygroundEndpoints, requestAnswer, unreachable } from "./run-request";

/** Finds the cost of an abandoned run; null while it is not decided, or when it cost nothing. */
export type FindCost = (requestId: string) => Promise<RunReceipt | null>;

/** Nano-USD; null when it is unknown. */
export type ReadAvailable = () => Promise<bigint | null>;

interface UseRunsOptions {
  endpoints: PlaygroundEndpoints;
  findCost: FindCost;
  readAvailable: ReadAvailable;
  /** A run has ended, and its hold is released or charged. */
  onEnded: (available: bigint | null) => void;
}

const MAX_KEPT = 20;
const COST_PAUSES_MS = [300, 1_000, 3_000, 6_000];
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The runs of this visit, newest first; kept only in the page's memory. */
export function useRuns({ endpoints, findCost, readAvailable, onEnded }: UseRunsOptions) {
  const [runs, setRuns] = useState<Run[]>([]);
  const stopping = useRef<AbortController>(null);
  const count = useRef(0);

  // Leaving the page stops the run, like closing the tab.
  useEffect(() => () => stopping.current?.abort(), []);

  const change = useCallback((number: number, changes: Partial<Run>) => {
    setRuns((known) => known.map((run) => (run.number === number ? { ...run, ...changes } : run)));
  }, []);

  const start = async (fields: RunFields, available: bigint): Promise<void> => {
    if (runs[0] && isRunning(runs[0])) return;
    count.current += 1;
    const run = newRun(count.current, fields, available);
    setRuns((known) => [run, ...known].slice(0, MAX_KEPT));
    const stop = new AbortController();
    stopping.current = stop;
    const end = await follow(run, { endpoints, signal: stop.signal, onProgress: (changes) => change(run.number, changes) });
    change(run.number, end);
    if (end.state === "stopped" && end.requestId) {
      for (const ms of COST_PAUSES_MS) {
        await pause(ms);
        const receipt = await findCost(end.requestId).catch(() => null); // the estimate stays
        if (!receipt) continue;
        change(run.number, { receipt });
        break;
      }
    }
    const availableAfter = await readAvailable().catch(() => null); // then it is not shown
    change(run.number, { availableAfter });
    onEnded(availableAfter);
  };

  const stop = useCallback(() => stopping.current?.abort(), []);
  return { runs, start, stop };
}

interface Following {
  endpoints: PlaygroundEndpoints;
  signal: AbortSignal;
  onProgress: (changes: Partial<Run>) => void;
}

/** Follows a run to its end; resolves with what is known of it by then. */
async function follow({ fields }: Run, { endpoints, signal, onProgress }: Following): Promise<Partial<Run>> {
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
    Object.assign(known, signal.aborted ? { state: "stopped" } : { state: "failed", problem: unreachable(known.state === "writing") });
  }
  cancelAnimationFrame(frame);
  return { ...known, totalMs: sinceStart() };
}
