"use client";

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { CodeBlock } from "../../ui/code-block";
import { type Filled, problemsOf, sendRequest, type TriedAnswer, urlOf } from "./send-request";
import type { TryItForm } from "./try-it-form";

type Outcome = { state: "idle" | "sending" } | { state: "answered"; answer: TriedAnswer } | { state: "failed"; message: string };

const box = "mt-1 block w-full rounded border border-edge bg-paper px-3 font-mono text-sm text-ink transition hover:border-faint";
const button = "inline-flex h-11 items-center rounded px-4 text-sm font-medium transition sm:h-9";

/** The form of one operation: it sends the request to this service and shows the answer. The key lives in this component only. */
export function TryIt({ form }: { form: TryItForm }) {
  const [filled, setFilled] = useState<Filled>(() => ({
    key: "",
    body: form.body ?? "",
    fields: Object.fromEntries(form.fields.map(({ name, value }) => [name, value])),
  }));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [outcome, setOutcome] = useState<Outcome>({ state: "idle" });
  const sending = useRef<AbortController | null>(null);
  const root = useRef<HTMLFormElement>(null);
  useEffect(() => () => sending.current?.abort(), []);
  useEffect(() => root.current?.querySelector<HTMLElement>("input, textarea")?.focus(), []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (outcome.state === "sending") return;
    const found = problemsOf(form, filled);
    setProblems(found);
    const [first] = Object.keys(found);
    if (first) return root.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    const controller = new AbortController();
    sending.current = controller;
    setOutcome({ state: "sending" });
    try {
      setOutcome({ state: "answered", answer: await sendRequest(form, filled, controller.signal) });
    } catch {
      const message = controller.signal.aborted
        ? `Stopped.${form.isCharged ? " The request may still be completed and charged; see Usage." : ""}`
        : "No response. Check your connection and try again.";
      setOutcome({ state: "failed", message });
    }
  };
  const setField = (name: string, value: string) => setFilled({ ...filled, fields: { ...filled.fields, [name]: value } });
  const isSending = outcome.state === "sending";
  return (
    <>
      <form ref={root} noValidate onSubmit={(event) => void submit(event)} aria-label="Try it" className="grid gap-4">
        {form.needsKey ? (
          <Line name="key" label="API key" hint="Kept in this tab’s memory only." problem={problems.key}>
            {(described) => (
              <input
                {...described}
                type="password"
                name="key"
                value={filled.key}
                onChange={(event) => setFilled({ ...filled, key: event.target.value })}
                placeholder="pp_…"
                maxLength={200}
                autoComplete="off"
                spellCheck={false}
                data-1p-ignore=""
                data-lpignore="true"
                className={`${box} h-11 sm:h-9`}
              />
            )}
          </Line>
        ) : null}
        {form.fields.map(({ name, isRequired }) => (
          <Line key={name} name={name} label={name} hint={isRequired ? "" : "Optional."} problem={problems[name]}>
            {(described) => (
              <input
                {...described}
                name={name}
                value={filled.fields[name] ?? ""}
                onChange={(event) => setField(name, event.target.value)}
                maxLength={500}
                autoComplete="off"
                spellCheck={false}
                className={`${box} h-11 sm:h-9`}
              />
            )}
          </Line>
        ))}
        {form.body === null ? null : (
          <Line name="body" label="Body" hint="" problem={problems.body}>
            {(described) => (
              <textarea
                {...described}
                name="body"
                value={filled.body}
                onChange={(event) => setFilled({ ...filled, body: event.target.value })}
                rows={Math.min(14, filled.body.split("\n").length + 1)}
                spellCheck={false}
                className={`${box} resize-y py-2 leading-[22px]`}
              />
            )}
          </Line>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <button type="submit" disabled={isSending} className={`${button} bg-ink text-paper hover:bg-muted disabled:bg-muted`}>
            {isSending ? "Sending…" : "Send request"}
          </button>
          {isSending ? (
            <button
              type="button"
              onClick={() => sending.current?.abort()}
              className={`${button} border border-edge text-ink hover:bg-panel`}
            >
              Stop
            </button>
          ) : null}
          <code className="min-w-0 font-mono text-xs break-all text-muted">
            {form.method} {urlOf(form, filled.fields)}
          </code>
        </div>
      </form>
      <Result outcome={outcome} />
    </>
  );
}

interface LineProps {
  name: string;
  label: string;
  hint: string;
  problem: string | undefined;
  children: (described: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => React.ReactNode;
}

function Line({ label, hint, problem, children }: LineProps) {
  const id = useId();
  return (
    <div className="text-xs text-muted">
      <label htmlFor={id} className="font-medium text-ink">
        {label}
      </label>{" "}
      <span id={`${id}-hint`} className={problem ? "text-red" : ""}>
        {problem ?? hint}
      </span>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": problem !== undefined })}
    </div>
  );
}

/** The answer, announced when it is there. */
function Result({ outcome }: { outcome: Outcome }) {
  return (
    <div className="mt-4 grid gap-3">
      <p role="status" className="text-sm empty:hidden">
        {outcome.state === "answered" ? <Summary answer={outcome.answer} /> : outcome.state === "failed" ? outcome.message : null}
      </p>
      {outcome.state === "answered" ? <Answer answer={outcome.answer} /> : null}
    </div>
  );
}

const Summary = ({ answer: { status, ms, charged } }: { answer: TriedAnswer }) => (
  <>
    <span className={`font-mono font-medium ${status < 400 ? "text-green" : "text-red"}`}>{status}</span> in {ms} ms
    {charged === null ? (
      status < 400 ? null : (
        ". Not charged."
      )
    ) : (
      <>
        . Charged <span className="font-mono">${charged}</span>.
      </>
    )}
  </>
);

const Answer = ({ answer: { headers, body, isCut } }: { answer: TriedAnswer }) => (
  <>
    <dl className="grid gap-x-4 border-t border-line pt-2 text-xs sm:grid-cols-[max-content_minmax(0,1fr)]">
      {headers.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="py-0.5 text-muted">{name}</dt>
          <dd className="py-0.5 font-mono break-all">{value}</dd>
        </div>
      ))}
    </dl>
    <CodeBlock wraps title={isCut ? "Body, cut to its beginning" : "Body"} copy={body} />
  </>
);
