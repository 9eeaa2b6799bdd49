"use client";

import { CodeIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { type KeyboardEvent, useRef, useState } from "react";
import type { ModelPrice } from "@/lib/console/views/models";
import type { CodeTarget } from "../../docs/api-call";
import { Button } from "../../ui/button";
import { WalletFormLoading } from "../../wallet/wallet-loading";
import { WalletSection } from "../../wallet/wallet-section";
import { PageHeading } from "../page-heading";
import { AnswerPanel } from "./answer-panel";
import { CodeDialog } from "./code-dialog";
import { HoldLine } from "./hold-line";
import { PastRuns } from "./past-runs";
import type { DrawPayment, WalletPaySettings } from "./pay-types";
import { PromptFieldset } from "./prompt-fieldset";
import { isSendable, type PromptForm, readPromptForm } from "./prompt-form";
import { isRunning, type SignedPayment } from "./run";
import type { PlaygroundEndpoints } from "./run-request";
import { useQuote } from "./use-quote";
import { type FindCost, type ReadAvailable, useRuns } from "./use-runs";

const WalletPay = dynamic(() => import("./pay-steps").then((module) => module.WalletPay), {
  ssr: false,
  loading: WalletFormLoading,
});

interface PlaygroundProps {
  models: readonly ModelPrice[];
  initialModel: string;
  /** Nano-USD, when the page was rendered. */
  available: bigint;
  isFrozen: boolean;
  endpoints: PlaygroundEndpoints;
  target: CodeTarget;
  /** Paying with a wallet; null where that is not offered. */
  walletPay: WalletPaySettings | null;
  drawPayment: DrawPayment;
  findCost: FindCost;
  readAvailable: ReadAvailable;
}

/** A prompt, its price before it runs, and its answer while it arrives, charged as the API charges it. */
export function Playground({
  models,
  initialModel,
  available,
  isFrozen,
  endpoints,
  target,
  walletPay,
  drawPayment,
  ...asks
}: PlaygroundProps) {
  const [form, setForm] = useState<PromptForm>({ model: initialModel, system: "", prompt: "", maxTokens: "1024", temperature: "" });
  const [ended, setEnded] = useState({ count: 0, available });
  const [shown, setShown] = useState<number | null>(null);
  const [codeOpen, setCodeOpen] = useState(false);
  const answer = useRef<HTMLDivElement>(null);
  const { runs, start, stop } = useRuns({
    endpoints,
    ...asks,
    onEnded: (left) => setEnded((known) => ({ count: known.count + 1, available: left ?? known.available })),
  });

  const model = models.find(({ id }) => id === form.model) ?? models[0];
  const { fields, problems } = readPromptForm(form, model?.maxOutputTokens ?? 1);
  const sendable = isSendable(fields, problems);
  const quote = useQuote(endpoints, sendable ? fields : null, ended.count);
  const spendable = quote?.available ?? ended.available;
  const running = runs[0] !== undefined && isRunning(runs[0]);
  const current = runs.find(({ number }) => number === shown) ?? runs[0];
  const change = (part: Partial<PromptForm>) => setForm((known) => ({ ...known, ...part }));
  const run = (payment?: SignedPayment) => {
    if (!sendable || running || isFrozen) return;
    setShown(null);
    // Scroll to the answer where it is below the form; beside the form it is already in sight.
    if ((answer.current?.getBoundingClientRect().left ?? 0) < window.innerWidth / 3) answer.current?.scrollIntoView();
    void start(payment ? { ...fields, payment } : fields, spendable);
  };
  const runOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
  const again = () => {
    // Exactly the same request: a payment in it pays once, however often it is sent.
    if (current && !running) void start(current.fields, spendable);
  };
  const lowerTo = (tokens: number) => change({ maxTokens: String(tokens) });

  return (
    <>
      <PageHeading
        title="Playground"
        action={
          <Button onClick={() => setCodeOpen(true)}>
            <CodeIcon aria-hidden="true" /> View code
          </Button>
        }
      >
        Each run is a real request, paid from your balance or by your wallet.
      </PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut of the fields inside */}
        <div onKeyDown={runOnEnter} className="border-t border-line pt-4">
          <PromptFieldset models={models} form={form} problems={problems} onChange={change} />
          <HoldLine quote={quote} available={spendable} isFrozen={isFrozen} onLower={lowerTo} />
          <div className="mt-4 flex flex-wrap items-center gap-3">
            {running ? (
              <Button onClick={stop}>Stop</Button>
            ) : (
              <Button look="primary" onClick={() => run()} disabled={!sendable || isFrozen}>
                Run
              </Button>
            )}
            <kbd className="font-sans text-xs text-muted max-md:hidden">Ctrl or ⌘ + Enter</kbd>
            {walletPay && !isFrozen ? (
              <WalletSection title="Pay with my wallet" Heading="h2">
                <WalletPay {...walletPay} quote={quote} isBusy={running} drawPayment={drawPayment} onSigned={run} />
              </WalletSection>
            ) : null}
          </div>
        </div>
        <div ref={answer} className="grid scroll-mt-4 content-start gap-8">
          <AnswerPanel
            run={current}
            models={models}
            onStop={stop}
            onExample={(prompt) => change({ prompt })}
            onLower={lowerTo}
            onAgain={again}
          />
          {runs.length > 1 ? <PastRuns runs={runs} shown={current?.number ?? 0} onShow={setShown} /> : null}
        </div>
      </div>
      <CodeDialog open={codeOpen} onOpenChange={setCodeOpen} target={target} fields={fields} />
    </>
  );
}
