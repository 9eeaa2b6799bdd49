"use client";

// Runs of turns: one at a time in a browser tab, whichever conversation is shown meanwhile.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { toast } from "sonner";
import type { TurnOptions } from "./chat/body";
import { type ChatBody, countTextBytes, writeBody } from "./chat/body";
import {
  addTurn,
  type Conversation,
  dropFrom,
  hasAnswer,
  messagesOf,
  restoreTurns,
  runsOf,
  type Turn,
  type TurnInput,
} from "./chat/conversation";
import { follow } from "./follow-run";
import type { Conversations } from "./kept/use-conversations";
import { isAbandoned, isRunning, newRun, type Run, type RunTerms, type SignedPayment } from "./run";
import { fetchPrice, type PlaygroundEndpoints } from "./run-request";
import { type FindCost, useRunCosts } from "./use-run-costs";

/** Nano-USD; null when it is unknown. */
export type ReadAvailable = () => Promise<bigint | null>;

interface UseRunsOptions {
  conversations: Conversations;
  endpoints: PlaygroundEndpoints;
  findCost: FindCost;
  readAvailable: ReadAvailable;
  /** A run begins, and its hold with it. */
  onStarted: () => void;
  /** A run has ended, and its hold is released or charged. */
  onEnded: (available: bigint | null) => void;
}

/** A turn to send. */
export interface Asked {
  input: TurnInput;
  options: TurnOptions;
  terms: RunTerms;
  payment?: SignedPayment | undefined;
  /** The turn that it replaces, with all later ones. */
  replaces?: number | undefined;
}

/** A browser breaks a page's connections off when it begins to load another, before it says that this one is hidden. */
const LEAVING_MS = 3_000;
/** A price that takes longer is of no use. */
const PRICE_TIMEOUT_MS = 10_000;
/** After a run's end its button starts nothing: the click or the key that stopped the run may come twice. */
const QUIET_AFTER_MS = 600;
/** Nor does Stop stop what a double click has just started. */
const QUIET_BEFORE_MS = 300;

/** The session is over: asking for a balance would only leave the page. */
const isSignedOut = ({ problem }: Partial<Run>): boolean => problem?.reason === "signed_out" || problem?.reason === "stale_page";

export const bodyOf = ({ options, input, payment }: Pick<Asked, "options" | "input" | "payment">, before: readonly Turn[]): ChatBody => ({
  ...writeBody(options, messagesOf(options.system, before, input)),
  ...(payment && { payment }),
});

export function useRuns({ conversations, endpoints, findCost, readAvailable, onStarted, onEnded }: UseRunsOptions) {
  const { all, change, put, save, current } = conversations;
  const under = useRef<{ id: number; stop: AbortController; startedAt: number } | null>(null);
  const [runningId, setRunningId] = useState<number | null>(null);
  const quiet = useQuiet();
  const wasLeftNow = useLeaving();

  // Leaving the page stops the run, like closing the tab.
  useEffect(() => () => under.current?.stop.abort(), []);

  const readBalance = async (): Promise<void> => {
    const available = await readAvailable().catch(() => null);
    // A run that has begun meanwhile has changed it again, and its own end reads it.
    if (!under.current) onEnded(available);
  };
  const kept = useMemo(() => (all.length > 0 ? all.flatMap(runsOf).sort((one, other) => other.id - one.id) : null), [all]);
  const settle = useRunCosts({ kept, change, save, findCost, onLong: () => void readBalance() });

  const send = async (asked: Asked): Promise<void> => {
    if (under.current || quiet.isQuiet()) return;
    const before = current();
    const conversation = asked.replaces === undefined ? before : dropFrom(before, asked.replaces);
    const body = bodyOf(asked, conversation.turns);
    const last = conversations.latest.current.all.flatMap(runsOf).reduce((most, { id }) => Math.max(most, id), 0);
    const sent = { bytes: countTextBytes(body), messages: body.messages.length };
    const fields = { model: body.model, prompt: "", sent, payment: asked.payment };
    const run = newRun(Math.max(Date.now(), last + 1), fields, asked.terms);
    const stop = new AbortController();
    under.current = { id: run.id, stop, startedAt: performance.now() };
    setRunningId(run.id);
    onStarted();
    put(addTurn(conversation, { id: run.id, options: asked.options, input: asked.input, run }));
    save();
    if (asked.terms.ceiling === null || asked.terms.whenLeft === null) {
      // Not cut short by a stop: the price also says how a stopped run is charged.
      const priced = fetchPrice(endpoints, { ...body, payment: undefined }, AbortSignal.timeout(PRICE_TIMEOUT_MS));
      void priced.then((quote) => quote && change(run.id, { ceiling: quote.ceiling, whenLeft: quote.whenLeft })).catch(() => null);
    }
    const isStopped = () => stop.signal.aborted || wasLeftNow();
    const end = await follow(body, { endpoints, signal: stop.signal, isStopped, onProgress: (changes) => change(run.id, changes) });
    quiet.begin();
    under.current = null;
    setRunningId(null);
    const ended = { ...run, ...end };
    if (losesAnswers(asked, before, ended)) {
      const now = conversations.latest.current.all.find(({ id }) => id === before.id);
      if (now) put(restoreTurns(now, before, ended));
      const cost = isAbandoned(ended) ? " If this run was charged, its cost is added to the conversation." : "";
      toast.error(`${ended.problem?.message ?? "The request failed."} Nothing was replaced.${cost}`);
    } else change(run.id, end);
    save();
    if (isSignedOut(end)) return;
    if (isAbandoned(ended) || ended.receipt) await settle(ended);
    await readBalance();
  };

  const stop = useCallback(() => {
    const run = under.current;
    if (run && performance.now() - run.startedAt >= QUIET_BEFORE_MS) run.stop.abort();
  }, []);
  const running = runningId === null ? undefined : all.flatMap(runsOf).find(({ id }) => id === runningId);
  return { send, stop, isBusy: runningId !== null, isQuiet: quiet.isShown, running: running && isRunning(running) ? running : undefined };
}

/** True for a request that was to replace answers and failed before anything of its own came: the old answers stay. */
const losesAnswers = ({ replaces, payment }: Asked, before: Conversation, { state, text, problem, receipt }: Run): boolean =>
  replaces !== undefined &&
  !payment &&
  state === "failed" &&
  text === "" &&
  !receipt &&
  !problem?.cost &&
  before.turns.slice(before.turns.findIndex(({ id }) => id === replaces)).some(hasAnswer);

/** The moments after a run's end. */
function useQuiet() {
  const until = useRef(0);
  const [isShown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isShown,
    isQuiet: () => performance.now() < until.current,
    begin: () => {
      until.current = performance.now() + QUIET_AFTER_MS;
      setShown(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setShown(false), QUIET_AFTER_MS);
    },
  };
}

/** Returns a function that is true while the browser is on its way to another page. */
function useLeaving(): () => boolean {
  const leftAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const recordLeaving = () => {
      leftAt.current = performance.now();
    };
    window.addEventListener("beforeunload", recordLeaving);
    return () => window.removeEventListener("beforeunload", recordLeaving);
  }, []);
  return () => performance.now() - leftAt.current < LEAVING_MS;
}
