"use client";

import { MessageSquareTextIcon } from "lucide-react";
import { useEffect, useState } from "react";
import type { ModelPrice } from "@/lib/console/views/models";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy-button";
import { EmptyState } from "../../ui/empty-state";
import { Panel } from "../panel";
import { isRunning, type Run } from "./run";
import { RunFigures } from "./run-figures";
import { RunProblemNotice } from "./run-problem-notice";

interface AnswerPanelProps {
  run: Run | undefined;
  models: readonly ModelPrice[];
  onStop: () => void;
  onExample: (prompt: string) => void;
  onLower: (tokens: number) => void;
  /** Sends the shown run again, unchanged. */
  onAgain: () => void;
}

const examples = ["What is a nano-dollar?", "Write a haiku about an honest bank.", "Explain double-entry bookkeeping to a programmer."];

/** The answer while it arrives, then its cost. */
export function AnswerPanel({ run, models, onStop, onExample, onLower, onAgain }: AnswerPanelProps) {
  if (!run) {
    return (
      <Panel title="Answer">
        <EmptyState
          picture={<MessageSquareTextIcon />}
          title="The answer appears here as it is written"
          action={examples.map((prompt) => (
            <Button key={prompt} size="small" onClick={() => onExample(prompt)}>
              {prompt}
            </Button>
          ))}
        >
          Its tokens and its cost count up beside it and are exact at its end. Write a prompt, or begin with one of these.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel
      title={
        <span className="flex items-center gap-2">
          Answer <StateBadge run={run} />
        </span>
      }
      aside={
        <span className="-my-1.5 flex h-7 items-center gap-1">
          <span className="font-mono">{run.fields.model}</span>
          {isRunning(run) ? (
            // The form's own button is out of sight where the answer is below the form.
            <Button size="small" className="lg:hidden" onClick={onStop}>
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
        className="min-h-40 rounded border border-line bg-panel p-4 text-sm leading-6 break-words whitespace-pre-wrap"
      >
        {run.text}
        {run.state === "waiting" ? <Waiting key={run.number} model={run.fields.model} pays={run.fields.payment !== undefined} /> : null}
        {run.text === "" && (run.state === "done" || run.state === "stopped") ? (
          <span className="text-muted">
            {run.state === "done" ? "The model answered with no text." : "Stopped before the first token."}
          </span>
        ) : null}
      </div>
      {run.problem ? (
        <RunProblemNotice problem={run.problem} payment={run.fields.payment ?? null} onLower={onLower} onAgain={onAgain} />
      ) : null}
      <RunFigures run={run} model={models.find(({ id }) => id === run.fields.model)} />
    </Panel>
  );
}

function StateBadge({ run: { state } }: { run: Run }) {
  if (state === "waiting" || state === "writing") return <Badge tone="waiting">{state}</Badge>;
  return state === "done" ? null : <Badge tone={state === "failed" ? "bad" : "plain"}>{state}</Badge>;
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
      {pays ? "Waiting until Base has settled the payment, then for" : "Waiting for"} the first token of {model}
      {seconds === 0 ? "…" : <span aria-hidden="true">, {seconds} s</span>}
    </span>
  );
}
