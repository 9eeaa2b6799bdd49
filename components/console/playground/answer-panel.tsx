"use client";

import { MessageSquareTextIcon } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy-button";
import { EmptyState } from "../../ui/empty-state";
import { Panel } from "../panel";
import { isLeft, isRunning, type Run } from "./run";
import { RunFigures } from "./run-figures";
import { RunProblemNotice } from "./run-problem-notice";
import { RunState } from "./run-state";
import { StopNote } from "./stop-note";

interface AnswerPanelProps {
  run: Run | undefined;
  /** What the account can spend, nano-USD; null while it is not known. */
  availableNow: bigint | null;
  onStop: () => void;
  onExample: (prompt: string) => void;
  onLower: (tokens: number) => void;
  /** Sends the shown run again, unchanged. */
  onAgain: () => void;
  /** Asks for the signature that lifts the daily limit. */
  onAllow: () => void;
}

const examples = ["What is a nano-dollar?", "Write a haiku about an honest bank.", "Explain double-entry bookkeeping."];

/** The answer while it arrives, then its cost. */
export function AnswerPanel({ run, availableNow, onStop, onExample, onLower, onAgain, onAllow }: AnswerPanelProps) {
  const noteId = useId();
  if (!run) {
    return (
      <Panel title="Answer">
        <EmptyState
          picture={<MessageSquareTextIcon />}
          title="No answer yet"
          action={examples.map((prompt) => (
            <Button key={prompt} size="small" onClick={() => onExample(prompt)}>
              {prompt}
            </Button>
          ))}
        >
          Write a prompt and run it, or start with an example. You see its cost as it is written, and the exact charge at the end.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel
      title={
        <span className="flex items-center gap-2">
          Answer <RunState run={run} />
        </span>
      }
      aside={
        <span className="-my-1.5 flex h-7 max-w-full items-center gap-1">
          <span className="min-w-0 truncate font-mono">{run.fields.model}</span>
          {isRunning(run) ? (
            // The form's own button is out of sight where the answer is below the form.
            <Button size="small" className="lg:hidden" aria-describedby={noteId} onClick={onStop}>
              Stop
            </Button>
          ) : null}
          {run.text === "" ? null : <CopyButton quiet text={run.text} label="Copy the answer" />}
        </span>
      }
    >
      <div
        aria-live="polite"
        aria-busy={isRunning(run)}
        hidden={run.state === "failed" && run.text === ""}
        className="min-h-40 rounded border border-line bg-panel p-4 text-sm leading-6 wrap-anywhere whitespace-pre-wrap"
      >
        {run.text}
        {run.state === "waiting" ? <Waiting key={run.id} model={run.fields.model} pays={run.fields.payment !== undefined} /> : null}
        {run.text === "" && (run.state === "done" || run.state === "stopped") ? (
          <span className="text-muted">{run.state === "done" ? "The model returned no text." : "Stopped before the first token."}</span>
        ) : null}
      </div>
      {isRunning(run) || isLeft(run) ? <StopNote id={noteId} run={run} className={`mt-2 ${isRunning(run) ? "lg:hidden" : ""}`} /> : null}
      {run.problem ? (
        <RunProblemNotice
          problem={run.problem}
          payment={run.fields.payment ?? null}
          onLower={onLower}
          onAgain={onAgain}
          onAllow={onAllow}
        />
      ) : null}
      <RunFigures run={run} availableNow={availableNow} />
    </Panel>
  );
}

/** Shows what it waits for and how long, after the first moments. */
function Waiting({ model, pays }: { model: string; pays: boolean }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((known) => known + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="text-muted">
      {pays ? "Settling the payment on Base, then waiting for" : "Waiting for"} {model}
      {seconds === 0 ? "…" : <span aria-hidden="true">, {seconds} s</span>}
    </span>
  );
}
