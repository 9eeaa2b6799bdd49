"use client";

import { CodeIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { toast } from "sonner";
import { countText } from "@/components/ui/text/number-text";
import type { Answer } from "@/lib/console/views/answer";
import type { ModelPrice } from "@/lib/console/views/models";
import type { CodeTarget } from "../../docs/api-call";
import { Button } from "../../ui/button";
import { WalletFormLoading } from "../../wallet/wallet-loading";
import { WalletSection } from "../../wallet/wallet-section";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { PageHeading } from "../page-heading";
import { useAction } from "../use-action";
import { AnswerPanel } from "./answer-panel";
import { CodeDialog } from "./code-dialog";
import type { ContextProblem } from "./context-fit";
import { HoldLine } from "./hold-line";
import { PastRuns } from "./past-runs";
import type { DrawPayment, WalletPaySettings } from "./pay/pay-types";
import { PromptFieldset } from "./prompt-fieldset";
import type { Run, SignedPayment } from "./run";
import { StopNote } from "./stop-note";
import { type PlaygroundSettings, usePlayground } from "./use-playground";

interface RunButtonProps {
  running: Run | undefined;
  isDisabled: boolean;
  onRun: () => void;
  onStop: () => void;
}

interface ContextNoticeProps {
  problem: ContextProblem;
  model: ModelPrice;
  onModel: (id: string) => void;
}

const WalletPay = dynamic(() => import("./pay/pay-steps").then((module) => module.WalletPay), {
  ssr: false,
  loading: WalletFormLoading,
});

interface PlaygroundProps extends PlaygroundSettings {
  isFrozen: boolean;
  target: CodeTarget;
  /** Paying with a wallet; null where that is not offered. */
  walletPay: WalletPaySettings | null;
  drawPayment: DrawPayment;
  allowSpending: (proof?: SignedChallenge) => Promise<Answer>;
}

/** A prompt, its price before it runs, and its answer while it arrives, charged as the API charges it. */
export function Playground({ isFrozen, target, walletPay, drawPayment, allowSpending, ...settings }: PlaygroundProps) {
  const { models, initialModel, link } = settings;
  const page = usePlayground(settings);
  const { form, change, model, sendable, quote, isCurrent, available, runs, isBusy, contextProblem } = page;
  const confirmed = useAction();
  const [shown, setShown] = useState<number | null>(null);
  const [codeOpen, setCodeOpen] = useState(false);
  const answer = useRef<HTMLDivElement>(null);
  const current = runs.find(({ id }) => id === shown) ?? runs[0];
  const run = (payment?: SignedPayment) => {
    if (!sendable || isBusy || isFrozen) return;
    setShown(null);
    // Scroll to the answer where it is below the form; beside the form it is already in sight.
    if ((answer.current?.getBoundingClientRect().left ?? 0) < window.innerWidth / 3) answer.current?.scrollIntoView();
    page.startNew(payment);
  };
  const runOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
  const again = () => {
    if (!current || isBusy) return;
    setShown(null);
    // Exactly the same request: a payment in it pays once, however often it is sent.
    page.start(current.fields, current);
  };
  const allow = async () => {
    const answer = await confirmed.run(allowSpending);
    if (answer.ok) again();
    else toast.error(answer.message);
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
        Each run is a real request, charged like an API call.
      </PageHeading>
      {link.kind === "unknown" && model === initialModel ? (
        <p role="status" className="mb-4 text-sm wrap-anywhere text-amber-ink">
          Unknown model “{link.model}”. Using {initialModel.id} instead.
        </p>
      ) : null}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut of the fields inside */}
        <div onKeyDown={runOnEnter} className="border-t border-line pt-4">
          <PromptFieldset models={models} form={form} problems={page.problems} onChange={change}>
            {contextProblem && <ContextNotice problem={contextProblem} model={model} onModel={(id) => change({ model: id })} />}
          </PromptFieldset>
          <HoldLine
            quote={quote}
            isPending={!isCurrent}
            available={available}
            isChanging={page.availableNow === null}
            isFrozen={isFrozen}
            onLower={lowerTo}
          />
          <div className="mt-4 flex flex-wrap items-center gap-3">
            <RunButton running={isBusy ? runs[0] : undefined} isDisabled={!sendable || isFrozen} onRun={() => run()} onStop={page.stop} />
            {walletPay && !isFrozen ? (
              <WalletSection title="Pay with my wallet" Heading="h2">
                <WalletPay {...walletPay} quote={quote} isBusy={isBusy || !isCurrent} drawPayment={drawPayment} onSigned={run} />
              </WalletSection>
            ) : null}
          </div>
        </div>
        <div ref={answer} className="grid scroll-mt-4 grid-cols-[minmax(0,1fr)] content-start gap-8">
          <AnswerPanel
            run={current}
            availableNow={page.availableNow}
            onStop={page.stop}
            onExample={(prompt) => change({ prompt })}
            onLower={lowerTo}
            onAgain={again}
            onAllow={() => void allow()}
          />
          {runs.length > 1 ? <PastRuns runs={runs} shown={current?.id ?? 0} onShow={setShown} /> : null}
        </div>
      </div>
      <CodeDialog open={codeOpen} onOpenChange={setCodeOpen} target={target} fields={page.fields} />
    </>
  );
}

/** Starts a run, or stops the one under way and says what that means. */
function RunButton({ running, isDisabled, onRun, onStop }: RunButtonProps) {
  const noteId = useId();
  if (running) {
    return (
      <>
        <Button aria-describedby={noteId} onClick={onStop}>
          Stop
        </Button>
        <StopNote id={noteId} run={running} className="min-w-0 flex-1 basis-56" />
      </>
    );
  }
  return (
    <>
      <Button look="primary" onClick={onRun} disabled={isDisabled}>
        Run
      </Button>
      <kbd className="font-sans text-xs text-muted max-md:hidden">Ctrl or ⌘ + Enter</kbd>
    </>
  );
}

/** A prompt longer than its model reads, and what to do. */
const ContextNotice = ({ problem: { tokens, isCertain, alternative }, model, onModel }: ContextNoticeProps) => (
  <div className="grid justify-items-start gap-3 text-sm">
    <p role="status" className="text-amber-ink">
      {isCertain
        ? `This prompt is too long for ${model.id}: about ${countText(tokens)} tokens, and the model reads ${countText(model.contextWindow)}.`
        : `This prompt may be too long for ${model.id}, which reads ${countText(model.contextWindow)} tokens.`}{" "}
      {alternative ? "Shorten it, or use a model that reads more." : "Shorten it. No model here reads more."}
    </p>
    {alternative ? (
      <Button size="small" className="max-w-full" onClick={() => onModel(alternative.id)}>
        <span className="truncate">
          Use {alternative.id} ({countText(alternative.contextWindow)})
        </span>
      </Button>
    ) : null}
  </div>
);
