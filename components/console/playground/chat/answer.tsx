"use client";

import { useEffect, useState } from "react";
import { FoldSummary } from "../../../ui/fold-summary";
import { AnswerText } from "../markdown/answer-text";
import { isLeft, isRunning, type Run } from "../run";
import { RunFigures } from "../run-figures";
import { RunProblemNotice } from "../run-problem-notice";
import { RunState } from "../run-state";
import { StopNote } from "../stop-note";
import { ToolCalls } from "./tool-calls";

interface AnswerProps {
  run: Run;
  /** The balance that can be spent, nano-USD; null while it is not known. */
  availableNow: bigint | null;
  /** The newest: its costs are shown in full. */
  isNewest: boolean;
  /** A run may be started now. */
  mayAsk: boolean;
  onLower: (tokens: number) => void;
  /** Sends the same request again, unchanged. */
  onAgain: () => void;
  /** Asks for the signature that lifts the daily limit. */
  onAllow: () => void;
}

/** The answer of one turn while it arrives, then its cost. */
export function Answer({ run, availableNow, isNewest, mayAsk, onLower, onAgain, onAllow }: AnswerProps) {
  return (
    <>
      <p className="flex min-w-0 items-center gap-2 text-xs text-muted">
        <span className="truncate font-mono">{run.fields.model}</span>
        <RunState run={run} />
      </p>
      {run.reasoning === "" ? null : <Reasoning text={run.reasoning} isThinking={isRunning(run) && run.text === ""} />}
      <div aria-live="polite" aria-busy={isRunning(run)} hidden={run.state === "failed" && run.text === ""} className="mt-2">
        <AnswerText text={run.text} />
        {run.state === "waiting" ? <Waiting key={run.id} model={run.fields.model} pays={run.fields.payment !== undefined} /> : null}
        <EndNote run={run} />
      </div>
      <ToolCalls calls={run.toolCalls} />
      {isLeft(run) ? <StopNote run={run} className="mt-2" /> : null}
      {run.problem ? (
        <RunProblemNotice
          problem={run.problem}
          payment={run.fields.payment ?? null}
          mayAsk={mayAsk && isNewest}
          onLower={onLower}
          onAgain={onAgain}
          onAllow={onAllow}
        />
      ) : null}
      <RunFigures run={run} availableNow={availableNow} isFolded={!isNewest} />
    </>
  );
}

/** The model's thoughts. They are part of the output, and charged with it. */
const Reasoning = ({ text, isThinking }: { text: string; isThinking: boolean }) => (
  <details className="group mt-2 rounded border border-line text-sm">
    <FoldSummary className="min-h-10 px-3 text-muted">{isThinking ? "Thinking…" : "Reasoning"}</FoldSummary>
    <div className="max-h-96 overflow-y-auto border-t border-line px-3 py-2 leading-6 wrap-anywhere whitespace-pre-wrap text-muted">
      {text}
    </div>
  </details>
);

const endNotes: Readonly<Record<string, string>> = {
  length: "The answer was cut at the output limit. Raise max tokens to get more.",
  content_filter: "The provider’s content filter ended this answer.",
};

/** Why an answer ended, where that is not plain. */
export function EndNote({ run }: { run: Run }) {
  const { state, text, toolCalls, finish } = run;
  const isEmpty = text === "" && toolCalls.length === 0;
  const note =
    state === "stopped" && isEmpty && run.reasoning === ""
      ? "Stopped before the first token."
      : state !== "done"
        ? null
        : ((finish && endNotes[finish]) ?? (isEmpty ? "The model returned no text." : null));
  return note ? <p className="mt-2 text-sm text-muted">{note}</p> : null;
}

/** Shows what it waits for and how long, after the first moments. */
function Waiting({ model, pays }: { model: string; pays: boolean }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((known) => known + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="text-sm text-muted">
      {pays ? "Checking the payment, then waiting for" : "Waiting for"} {model}
      {seconds === 0 ? "…" : <span aria-hidden="true">, {seconds} s</span>}
    </span>
  );
}
