"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import type { ModelPrice } from "@/lib/console/views/models";
import { type ChatBody, countTextBytes } from "./chat/body";
import { type AttachedImage, openCalls, type Turn, type TurnInput } from "./chat/conversation";
import { readSetup, type Setup } from "./chat/setup";
import { findContextProblem } from "./context-fit";
import { useConversations } from "./kept/use-conversations";
import { useDraft } from "./kept/use-draft";
import type { SignedPayment, ToolCall } from "./run";
import type { PlaygroundEndpoints } from "./run-request";
import { useLinkedSetup } from "./share/use-linked-setup";
import { findSizeProblem } from "./size-fit";
import { useQuote } from "./use-quote";
import type { FindCost } from "./use-run-costs";
import { bodyOf, type ReadAvailable, useRuns } from "./use-runs";

/** The model in the URL: none, one on offer, or an unknown one. */
export type ModelLink = { kind: "none" } | { kind: "chosen" } | { kind: "unknown"; model: string };

export interface PlaygroundSettings {
  accountId: string;
  models: readonly ModelPrice[];
  initialModel: ModelPrice;
  link: ModelLink;
  /** Nano-USD, when the page was rendered. */
  available: bigint;
  endpoints: PlaygroundEndpoints;
  /** The most bytes of a request. */
  maxBodyBytes: number;
  findCost: FindCost;
  readAvailable: ReadAvailable;
}

/** The set-up, the message, their price, the conversations, their runs, and the balance. */
export function usePlayground({ accountId, models, initialModel, link, endpoints, maxBodyBytes, ...page }: PlaygroundSettings) {
  const conversations = useConversations(accountId);
  const draft = useDraft({
    accountId,
    initialModel: initialModel.id,
    isOffered: (model) => models.some(({ id }) => id === model),
    isModelGiven: link.kind !== "none",
    onOpen: conversations.open,
  });
  const linked = useLinkedSetup(draft);
  const { images, setImages } = draft;
  const balance = useAvailable(page.available);
  const [ended, setEnded] = useState(0);
  const runs = useRuns({
    conversations,
    endpoints,
    findCost: page.findCost,
    readAvailable: page.readAvailable,
    onStarted: balance.recordStart,
    onEnded: (left) => {
      balance.recordEnd(left);
      setEnded((count) => count + 1);
    },
  });
  const { setup, text } = draft.draft;
  const turns = conversations.shown?.turns ?? noTurns;
  const next = useNextTurn({ setup, text, images, turns, models, initialModel, maxBodyBytes });
  const { quote, isCurrent } = useQuote({
    endpoints,
    fields: next.input && next.isInOrder && !next.sizeProblem && !runs.isBusy ? next.body : null,
    version: ended,
    onQuote: (priced) => balance.recordPrice(priced.available),
  });
  const contextProblem = findContextProblem(next.sent, next.model, isCurrent ? quote : null, models);
  const mayAsk = next.isInOrder && !runs.isBusy && !runs.isQuiet;
  const { available, availableNow } = balance;
  const changeText = (changed: string) => draft.change({ text: changed });
  return {
    ...{ setup, text, images, turns, quote, isCurrent, contextProblem, conversations, available, availableNow, setImages, changeText },
    ...next,
    ...{ linked, isBusy: runs.isBusy, running: runs.running, stop: runs.stop },
    /** Nothing is under way, and the set-up is in order. */
    mayAsk,
    maySend: mayAsk && next.input !== null && !next.sizeProblem && !contextProblem?.isRefused,
    changeSetup: (part: Partial<Setup>) => draft.change({ setup: { ...setup, ...part } }),
    /** Sends the message that is written. */
    sendMessage: (payment?: SignedPayment) => {
      const { input, options } = next;
      if (!input || !mayAsk || next.sizeProblem || contextProblem?.isRefused) return;
      const { ceiling = null, whenLeft = null } = (isCurrent && quote) || {};
      void runs.send({ input, options, terms: { ...next.terms, ceiling, whenLeft }, payment });
      draft.change({ text: "", conversationId: conversations.latest.current.openId });
      setImages([]);
    },
    /** Sends an input after the last turn, or in place of one and the later ones. */
    ask: (input: TurnInput, replaces?: number) => {
      if (mayAsk) void runs.send({ input, options: next.options, terms: next.terms, replaces });
    },
    /** Exactly the same request again: a payment in it pays once, however often it is sent. */
    sendAgain: ({ id, input, options, run: { ceiling, whenLeft, price, fields } }: Turn) =>
      void runs.send({ input, options, terms: { ceiling, whenLeft, price }, payment: fields.payment, replaces: id }),
    /** With the own set-up; that of a link ends with its conversation. Null: a new one. */
    openConversation: (id: string | null) => {
      if (linked.isShown && (id === null || id !== draft.draft.conversationId)) linked.end();
      conversations.open(id);
      draft.change({ conversationId: id });
    },
  };
}

interface NextTurnOptions extends Pick<PlaygroundSettings, "models" | "initialModel" | "maxBodyBytes"> {
  setup: Setup;
  text: string;
  images: readonly AttachedImage[];
  turns: readonly Turn[];
}

/** The next turn to send, and its problems. */
function useNextTurn({ setup, text, images, turns, models, initialModel, maxBodyBytes }: NextTurnOptions) {
  const model = models.find(({ id }) => id === setup.model) ?? initialModel;
  const { options, problems } = useMemo(() => readSetup(setup, model.maxOutputTokens), [setup, model.maxOutputTokens]);
  const [skippedId, setSkipped] = useState<number | null>(null);
  const last = turns.at(-1);
  const calls = last?.id === skippedId ? noCalls : openCalls(turns);
  const isWritten = text.trim() !== "" || images.length > 0;
  const input: TurnInput | null = isWritten && calls.length === 0 ? { kind: "message", text, images } : null;
  const body = useMemo(() => {
    const message = { kind: "message", text: text || " ", images } as const;
    return bodyOf({ input: message, options }, turns);
  }, [options, text, images, turns]);
  const sent = useMemo(() => ({ prompt: "", sent: { bytes: countTextBytes(body), messages: body.messages.length } }), [body]);
  const sizeProblem = useMemo(() => findSizeProblem(body, maxBodyBytes), [body, maxBodyBytes]);
  const { inputPrice, outputPrice } = model;
  return {
    ...{ model, options, problems, calls, input, body, sent, sizeProblem },
    isInOrder: Object.keys(problems).length === 0,
    terms: { ceiling: null, whenLeft: null, price: { inputPrice, outputPrice } },
    /** A message is written in place of the results of calls. */
    skipCalls: () => setSkipped(last?.id ?? null),
    /** The request that would be sent next; where nothing is written, the last request, or an example. */
    writtenBody: (): ChatBody => {
      if (isWritten) return body;
      const again: TurnInput = last?.input ?? { kind: "message", text: EXAMPLE, images: [] };
      return bodyOf({ input: again, options }, turns.slice(0, -1));
    },
  };
}

const noTurns: readonly Turn[] = [];
const noCalls: readonly ToolCall[] = [];
/** In code, where nothing is written: an empty message would be refused. */
const EXAMPLE = "What is a nano-dollar?";

/** The balance that can be spent: the last reading, of the page, of a price or of the end of a run. Nano-USD. */
function useAvailable(rendered: bigint) {
  const [reading, setReading] = useState({ available: rendered, isFresh: true });
  const isRunning = useRef(false);
  useEffect(() => setReading((known) => ({ ...known, available: rendered })), [rendered]);
  return {
    available: reading.available,
    /** Null from the start of a run until it was read after its end. */
    availableNow: reading.isFresh ? reading.available : null,
    recordPrice: (available: bigint) => setReading({ available, isFresh: !isRunning.current }),
    recordStart: () => {
      isRunning.current = true;
      setReading((known) => ({ ...known, isFresh: false }));
    },
    /** Null when it could not be read; the next price has it. */
    recordEnd: (available: bigint | null) => {
      isRunning.current = false;
      if (available !== null) setReading({ available, isFresh: true });
    },
  };
}
