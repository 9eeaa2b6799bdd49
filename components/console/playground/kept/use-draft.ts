"use client";

// Shows one of two drafts: the reader's own, or one from a link. Each is stored as it changes.

import { useEffect, useRef, useState } from "react";
import type { AttachedImage } from "../chat/conversation";
import { emptySetup, type Setup } from "../chat/setup";
import { keep, onCleared } from "./browser-store";
import { changeDraft, type Draft, type Drafts, endLinked, forgetLinked, readDraft, readLinked, shownDraft, takeLinked } from "./kept-draft";

interface UseDraftOptions {
  accountId: string;
  /** The model of a draft without one, or whose model is not on offer. */
  initialModel: string;
  isOffered: (model: string) => boolean;
  /** The page's address names the initial model: it goes before that of the own draft. */
  isModelGiven: boolean;
  onOpen: (conversationId: string | null) => void;
}

const noImages: readonly AttachedImage[] = [];

export function useDraft({ accountId, initialModel, isOffered, isModelGiven, onOpen }: UseDraftOptions) {
  const [drafts, setDrafts] = useState<Drafts>(() => ({
    own: { setup: emptySetup(initialModel), text: "", conversationId: null },
    linked: null,
  }));
  const latest = useRef(drafts);
  const [images, setImages] = useState({ own: noImages, linked: noImages });
  const kind = drafts.linked ? "linked" : "own";

  const isSignedOut = useSignedOut();

  const show = (next: Drafts): void => {
    latest.current = next;
    setDrafts(next);
  };
  /** Shows another draft, with its conversation. */
  const open = (next: Drafts): void => {
    show(next);
    setImages((known) => ({ ...known, linked: noImages }));
    onOpen(shownDraft(next).conversationId);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as the page opens
  useEffect(() => {
    const kept = readDraft(accountId);
    if (kept) open({ own: isModelGiven ? withModel(kept, initialModel) : offered(kept), linked: null });
  }, [accountId]);

  const offered = <T extends Draft>(draft: T): T => (isOffered(draft.setup.model) ? draft : withModel(draft, initialModel));
  const keepShown = (): void => {
    if (isSignedOut.current) return;
    const { own, linked } = latest.current;
    if (linked) keep(accountId, "linked", linked);
    else keep(accountId, "draft", own);
  };
  return {
    draft: shownDraft(drafts),
    isOffered,
    linkId: drafts.linked?.linkId ?? null,
    images: images[kind],
    setImages: (changed: readonly AttachedImage[]) => setImages((known) => ({ ...known, [kind]: changed })),
    change: (part: Partial<Draft>) => {
      show(changeDraft(latest.current, part));
      keepShown();
    },
    takeLinked: (linkId: string, setup: Setup) => {
      open(takeLinked(latest.current, linkId, isOffered(setup.model) ? setup : { ...setup, model: initialModel }));
      keepShown();
    },
    /** Shows the draft of a link that was opened before. False where it is no longer there. */
    reopenLinked: (linkId: string): boolean => {
      if (latest.current.linked?.linkId === linkId) return true;
      const kept = readLinked(accountId, linkId);
      open({ own: latest.current.own, linked: kept && offered(kept) });
      return kept !== null;
    },
    /** Shows the own draft; the link's can be opened again. */
    leaveLinked: () => {
      if (latest.current.linked) open(endLinked(latest.current));
    },
    /** Shows the own draft, and forgets the link's. */
    endLinked: () => {
      if (!latest.current.linked) return;
      forgetLinked(accountId, latest.current.linked.linkId);
      open(endLinked(latest.current));
    },
  };
}

/** True once the owner has signed out in any tab: this tab then stores nothing more. */
function useSignedOut() {
  const isSignedOut = useRef(false);
  useEffect(
    () =>
      onCleared(() => {
        isSignedOut.current = true;
      }),
    [],
  );
  return isSignedOut;
}

const withModel = <T extends Draft>(draft: T, model: string): T => ({ ...draft, setup: { ...draft.setup, model } });
