"use client";

import { MessageSquareTextIcon } from "lucide-react";
import { useEffect, useRef } from "react";
import { toast } from "sonner";
import type { Answer as ActionAnswer } from "@/lib/console/views/answer";
import { Button } from "../../../ui/button";
import { EmptyState } from "../../../ui/empty-state";
import type { SignedChallenge } from "../../../wallet/wallet-types";
import { useAction } from "../../use-action";
import { HoldLine, MoneyProblem } from "../hold-line";
import { SendProblems } from "../send-problems";
import type { usePlayground } from "../use-playground";
import { Composer } from "./composer";
import type { Turn } from "./conversation";
import { ConversationCost } from "./conversation-cost";
import { ToolResultsForm } from "./tool-calls";
import { TurnView } from "./turn-view";

interface ChatProps {
  page: ReturnType<typeof usePlayground>;
  isFrozen: boolean;
  allowSpending: (proof?: SignedChallenge) => Promise<ActionAnswer>;
}

const examples = ["What is a nano-dollar?", "Write a haiku about an honest bank.", "Explain double-entry bookkeeping."];

/** The open conversation, and where its next message is written. */
export function Chat({ page, isFrozen, allowSpending }: ChatProps) {
  const { turns, calls, conversations, model } = page;
  const { shown } = conversations;
  const confirmed = useAction();
  const end = useRef<HTMLDivElement>(null);
  useFollowing(end, turns);
  const mayAsk = page.mayAsk && !isFrozen;
  const lowerTo = (tokens: number) => page.changeSetup({ maxTokens: String(tokens) });
  const allow = async (turn: Turn) => {
    const answer = await confirmed.run(allowSpending);
    if (answer.ok) page.sendAgain(turn);
    else toast.error(answer.message);
  };
  return (
    <section aria-label="Conversation" className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {turns.length === 0 ? <NoTurns onExample={page.changeText} /> : null}
      {shown && shown.earlier.turns > 0 ? <EarlierTurns count={shown.earlier.turns} /> : null}
      <div className="grid grid-cols-[minmax(0,1fr)]">
        {turns.map((turn, index) => (
          <TurnView
            key={turn.id}
            turn={turn}
            later={turns.length - 1 - index}
            availableNow={index === turns.length - 1 ? page.availableNow : null}
            mayAsk={mayAsk}
            onReplace={(input) => page.ask(input, turn.id)}
            onAgain={() => page.sendAgain(turn)}
            onAllow={() => void allow(turn)}
            onLower={lowerTo}
          />
        ))}
      </div>
      <div ref={end} className="scroll-mb-48">
        {shown ? <ConversationCost conversation={shown} /> : null}
      </div>
      <div className="sticky bottom-0 z-[5] -mx-1 bg-paper px-1 pb-3 max-md:bottom-[calc(55px+env(safe-area-inset-bottom))] max-md:pb-2">
        {calls.length > 0 ? (
          <ToolResultsForm
            key={turns.at(-1)?.id}
            calls={calls}
            mayAsk={mayAsk}
            onSend={(results) => page.ask({ kind: "results", results })}
            onSkip={page.skipCalls}
          />
        ) : (
          <Composer
            text={page.text}
            images={page.images}
            running={page.running}
            isBusy={page.isBusy}
            maySend={page.maySend && !isFrozen}
            takesImages={model.takesImages}
            model={model.id}
            conversationId={shown?.id ?? null}
            onText={page.changeText}
            onImages={page.setImages}
            onSend={() => page.sendMessage()}
            onStop={page.stop}
            footer={
              <HoldLine quote={page.quote} isPending={!page.isCurrent} available={page.available} isChanging={page.availableNow === null} />
            }
          >
            <SendProblems
              size={page.sizeProblem}
              context={page.contextProblem}
              model={model}
              onModel={(id) => page.changeSetup({ model: id })}
            />
            <MoneyProblem quote={page.quote} available={page.available} isFrozen={isFrozen} onLower={lowerTo} />
          </Composer>
        )}
      </div>
    </section>
  );
}

const NoTurns = ({ onExample }: { onExample: (prompt: string) => void }) => (
  <EmptyState
    picture={<MessageSquareTextIcon />}
    title="No answer yet"
    action={examples.map((prompt) => (
      <Button key={prompt} size="small" className="max-w-full max-md:h-11" onClick={() => onExample(prompt)}>
        <span className="truncate">{prompt}</span>
      </Button>
    ))}
  >
    Write a message, or start with an example. Each one is a real request: you see its cost as the answer is written, and the exact charge
    when it ends.
  </EmptyState>
);

const EarlierTurns = ({ count }: { count: number }) => (
  <p className="text-xs text-muted">
    {count === 1 ? "The first turn was" : `The first ${count} turns were`} removed, since this conversation is too long for this browser to
    keep. Later turns are sent without {count === 1 ? "it" : "them"}; what {count === 1 ? "it" : "they"} cost stays in this conversation’s
    cost.
  </p>
);

/** How far above the end a reader may be who is still taken along, px. */
const FOLLOWED = 240;

/** Goes along with an answer that is written, unless its reader has scrolled up. A new turn is shown from its beginning. */
function useFollowing(end: { current: HTMLDivElement | null }, turns: readonly Turn[]): void {
  const last = turns.at(-1);
  const known = useRef({ id: last?.id, count: turns.length });
  const length = last ? last.run.text.length + last.run.reasoning.length + last.run.state.length : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the length decides
  useEffect(() => {
    const place = end.current;
    if (!place || !last) return;
    const isNew = known.current.id !== last.id && known.current.count > 0;
    const isFirst = known.current.id === undefined;
    known.current = { id: last.id, count: turns.length };
    const below = place.getBoundingClientRect().bottom - window.innerHeight;
    const isFollowed = below > -FOLLOWED && below < FOLLOWED;
    if (isNew || (isFirst && last.run.state === "waiting") || (isFollowed && last.run.state === "writing"))
      place.scrollIntoView({ block: "end" });
  }, [last?.id, length]);
}
