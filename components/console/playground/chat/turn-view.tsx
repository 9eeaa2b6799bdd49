"use client";

import { PencilIcon, RotateCcwIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../../ui/button";
import { CopyButton } from "../../../ui/copy-button";
import { TextAreaField } from "../../../ui/field";
import { prettyJson } from "../../../ui/text/pretty-json";
import { isRunning } from "../run";
import { Answer } from "./answer";
import { hasAnswer, type Turn, type TurnInput } from "./conversation";

interface TurnViewProps {
  turn: Turn;
  /** How many turns come after it. */
  later: number;
  /** The balance that can be spent, nano-USD; null while it is not known. */
  availableNow: bigint | null;
  mayAsk: boolean;
  /** Sends an input in place of this turn and the later ones. */
  onReplace: (input: TurnInput) => void;
  onAgain: () => void;
  onAllow: () => void;
  onLower: (tokens: number) => void;
}

/** A message and its answer. */
export function TurnView({ turn, later, availableNow, mayAsk, onReplace, ...steps }: TurnViewProps) {
  const [isEditing, setEditing] = useState(false);
  const { input, run } = turn;
  const isOver = !isRunning(run);
  return (
    <article aria-label="Turn" className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line py-5 first:border-t-0 first:pt-0">
      {isEditing && input.kind === "message" ? (
        <EditMessage
          input={input}
          later={later}
          mayAsk={mayAsk}
          onCancel={() => setEditing(false)}
          onSend={(edited) => {
            setEditing(false);
            onReplace(edited);
          }}
        />
      ) : (
        <Asked turn={turn}>
          {input.kind === "message" && isOver ? (
            <Button look="quiet" size="small" aria-label="Edit this message" className="max-md:h-11" onClick={() => setEditing(true)}>
              <PencilIcon aria-hidden="true" /> Edit
            </Button>
          ) : null}
        </Asked>
      )}
      <div className="min-w-0">
        <Answer run={run} availableNow={availableNow} isNewest={later === 0} mayAsk={mayAsk} {...steps} />
        {isOver ? (
          <div className="mt-2 flex flex-wrap items-center gap-1">
            {run.text === "" ? null : <CopyButton text={run.text} label="Copy the answer" />}
            {later === 0 && !run.fields.payment && isWhole(turn) ? (
              <Button look="quiet" size="small" className="max-md:h-11" disabled={!mayAsk} onClick={() => onReplace(input)}>
                <RotateCcwIcon aria-hidden="true" /> Retry
              </Button>
            ) : null}
            <Notes turn={turn} isNewest={later === 0} />
          </div>
        ) : null}
      </div>
    </article>
  );
}

/** False where its images or its end are no longer here: to ask it again would ask something else. */
const isWhole = ({ isCut, input }: Turn): boolean => !isCut && !(input.kind === "message" && input.images.some(({ url }) => url === null));

/** Notes on parts of this turn that later turns do not have. */
function Notes({ turn, isNewest }: { turn: Turn; isNewest: boolean }) {
  const isLost = turn.input.kind === "message" && turn.input.images.some(({ url }) => url === null);
  return (
    <span className="grid text-xs text-muted">
      {hasAnswer(turn) || isNewest ? null : <span>Later turns are sent without this one.</span>}
      {isLost ? <span>Images are not kept in this browser. Later turns are sent without them.</span> : null}
      {turn.isCut ? <span>This turn was too long to keep. Its end is missing here and is not sent with later turns.</span> : null}
    </span>
  );
}

/** The input of a turn: a message with its images, or results of tools. */
function Asked({ turn: { input }, children }: { turn: Turn; children: ReactNode }) {
  if (input.kind === "results") {
    return (
      <ul aria-label="Tool results" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {input.results.map(({ callId, name, output }) => (
          <li key={callId} className="rounded border border-line bg-panel text-sm">
            <p className="border-b border-line px-3 py-1.5 text-xs text-muted">
              Result of <span className="font-mono text-ink">{name}</span>
            </p>
            <pre className="max-h-72 overflow-y-auto px-3 py-2 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
              {prettyJson(output)}
            </pre>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <div className="group grid max-w-[92%] justify-items-end gap-1 justify-self-end">
      {input.images.length > 0 ? (
        <ul className="flex flex-wrap justify-end gap-2" aria-label="Images">
          {input.images.map(({ name, url }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two images may have one name
            <li key={index}>
              {url === null ? (
                <span className="block rounded border border-dashed border-edge px-3 py-2 text-xs text-muted">{name}: not kept</span>
              ) : (
                // biome-ignore lint/performance/noImgElement: a data URL needs no optimizer
                <img src={url} alt={name} className="max-h-40 max-w-full rounded border border-line" />
              )}
            </li>
          ))}
        </ul>
      ) : null}
      {input.text === "" ? null : (
        <p className="max-h-[60vh] max-w-full overflow-y-auto rounded bg-panel px-4 py-2.5 text-sm leading-6 wrap-anywhere whitespace-pre-wrap">
          {input.text}
        </p>
      )}
      {children}
    </div>
  );
}

interface EditMessageProps {
  input: Extract<TurnInput, { kind: "message" }>;
  later: number;
  mayAsk: boolean;
  onCancel: () => void;
  onSend: (input: TurnInput) => void;
}

/** The message as a field; later turns are removed once it is sent. */
function EditMessage({ input, later, mayAsk, onCancel, onSend }: EditMessageProps) {
  const [text, setText] = useState(input.text);
  return (
    <div className="grid gap-3">
      <TextAreaField
        label="Edit message"
        hint={
          later === 0
            ? "Its answer is replaced. What it cost stays in this conversation’s cost."
            : `Its answer and ${later === 1 ? "the later turn are" : `the ${later} later turns are`} removed. What they cost stays in this conversation’s cost.`
        }
        autoFocus
        rows={4}
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
        }}
      />
      <div className="flex gap-2">
        <Button look="primary" className="max-md:h-11" disabled={!mayAsk || text.trim() === ""} onClick={() => onSend({ ...input, text })}>
          Send
        </Button>
        <Button className="max-md:h-11" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
