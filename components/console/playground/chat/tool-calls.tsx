"use client";

import { type FormEvent, useState } from "react";
import { Button } from "../../../ui/button";
import { TextAreaField } from "../../../ui/field";
import { prettyJson } from "../../../ui/text/pretty-json";
import type { ToolCall } from "../run";
import type { ToolResult } from "./conversation";

/** The functions that an answer calls, with their arguments. */
export const ToolCalls = ({ calls }: { calls: readonly ToolCall[] }) =>
  calls.length === 0 ? null : (
    <ul className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-2" aria-label="Tool calls">
      {calls.map((call) => (
        <li key={call.id} className="rounded border border-line text-sm">
          <p className="border-b border-line px-3 py-1.5 text-xs text-muted">
            Calls <span className="font-mono text-ink">{call.name}</span>
          </p>
          <pre className="max-h-72 overflow-y-auto px-3 py-2 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
            {prettyJson(call.arguments)}
          </pre>
        </li>
      ))}
    </ul>
  );

interface ToolResultsFormProps {
  calls: readonly ToolCall[];
  mayAsk: boolean;
  onSend: (results: readonly ToolResult[]) => void;
  /** A message is written in place of the results. */
  onSkip: () => void;
}

/** The form for the results of the called functions: the model goes on with them. */
export function ToolResultsForm({ calls, mayAsk, onSend, onSkip }: ToolResultsFormProps) {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (mayAsk) onSend(calls.map(({ id, name }) => ({ callId: id, name, output: outputs[id] ?? "" })));
  };
  return (
    <form onSubmit={send} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-sm text-muted">
        The model called {calls.length === 1 ? "a tool" : `${calls.length} tools`}. Tools do not run here: enter what{" "}
        {calls.length === 1 ? "it" : "each"} returned.
      </p>
      {calls.map(({ id, name }, index) => (
        <TextAreaField
          key={id}
          label={calls.length === 1 ? `Result of ${name}` : `${index + 1}. Result of ${name}`}
          className="min-h-16 font-mono"
          rows={2}
          value={outputs[id] ?? ""}
          onChange={(output) => setOutputs((known) => ({ ...known, [id]: output }))}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" className="max-md:h-11" disabled={!mayAsk}>
          Send results
        </Button>
        <Button look="quiet" className="max-md:h-11" onClick={onSkip}>
          Write a message instead
        </Button>
      </div>
    </form>
  );
}
