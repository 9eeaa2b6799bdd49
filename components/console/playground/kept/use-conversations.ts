"use client";

// The conversations of this browser and the open one. They are kept when a run ends, and when the page is left.

import { useCallback, useEffect, useRef, useState } from "react";
import { type Conversation, changeRun, newConversation, newestFirst } from "../chat/conversation";
import type { Run } from "../run";
import { type KeepOutcome, onCleared } from "./browser-store";
import { keepConversation, readConversations, removeConversation } from "./kept-conversations";

interface State {
  /** The newest first; the open one is among them once it has a turn. */
  all: readonly Conversation[];
  openId: string | null;
}

/** Not `randomUUID`: a page over plain HTTP does not have it. */
const newId = (): string => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("");

export function useConversations(accountId: string) {
  const { state, latest, changed, isCleared, update, save, unkept } = useKeptState(accountId);

  /** Changes one conversation, or adds it. */
  const put = useCallback(
    (conversation: Conversation) => {
      isCleared.current = false;
      changed.current.add(conversation.id);
      const { all, openId } = latest.current;
      update({ all: [conversation, ...all.filter(({ id }) => id !== conversation.id)].sort(newestFirst), openId });
    },
    [update, latest, changed, isCleared],
  );

  const change = useCallback(
    (runId: number, changes: Partial<Run>) => {
      const { all, openId } = latest.current;
      const next = all.map((one) => changeRun(one, runId, changes));
      for (const [index, one] of next.entries()) if (one !== all[index]) changed.current.add(one.id);
      update({ all: next, openId });
    },
    [update, latest, changed],
  );

  const remove = useCallback(
    (ids: readonly string[]) => {
      for (const id of ids) {
        changed.current.delete(id);
        removeConversation(accountId, id);
      }
      const { all, openId } = latest.current;
      update({ all: all.filter(({ id }) => !ids.includes(id)), openId: openId !== null && ids.includes(openId) ? null : openId });
      save();
    },
    [accountId, update, latest, changed, save],
  );

  /** The open conversation, as it is now; a new one where none is open. */
  const current = useCallback((): Conversation => {
    const { all, openId } = latest.current;
    const found = all.find(({ id }) => id === openId);
    if (found) return found;
    const fresh = newConversation(newId(), Date.now());
    update({ all, openId: fresh.id });
    return fresh;
  }, [update, latest]);

  const open = useCallback((id: string | null) => update({ ...latest.current, openId: id }), [update, latest]);
  const shown = state.all.find(({ id }) => id === state.openId) ?? null;
  return { all: state.all, shown, latest, unkept, current, put, change, open, remove, save };
}

/** The state, read from the browser as the page opens, and kept there by `save` and when the page is left. */
function useKeptState(accountId: string) {
  const [state, setState] = useState<State>({ all: [], openId: null });
  const latest = useRef(state);
  /** The ids of conversations that are not kept as they are now. */
  const changed = useRef(new Set<string>());
  const isCleared = useRef(false);
  const [unkept, setUnkept] = useState<Exclude<KeepOutcome, "kept"> | null>(null);

  const update = useCallback((next: State) => {
    latest.current = next;
    setState(next);
  }, []);

  const save = useCallback(() => {
    if (isCleared.current) return;
    const own = latest.current.all.filter(({ id }) => changed.current.has(id));
    const outcomes = own.map((one) => {
      const outcome = keepConversation(accountId, one);
      // A conversation that did not fit is tried again, once there is room.
      if (outcome !== "full") changed.current.delete(one.id);
      return outcome;
    });
    if (own.length > 0) setUnkept(outcomes.find((outcome) => outcome !== "kept") ?? null);
  }, [accountId]);

  useEffect(() => {
    update({ all: readConversations(accountId), openId: null });
    const stop = onCleared(() => {
      isCleared.current = true;
      changed.current.clear();
      update({ all: [], openId: null });
    });
    const stopFollowing = onOtherTab(accountId, (id, found) => {
      if (changed.current.has(id)) return;
      const others = latest.current.all.filter((one) => one.id !== id);
      update({ ...latest.current, all: (found ? [found, ...others] : others).sort(newestFirst) });
    });
    window.addEventListener("pagehide", save);
    return () => {
      stop();
      stopFollowing();
      window.removeEventListener("pagehide", save);
      save();
    };
  }, [accountId, save, update]);
  return { state, latest, changed, isCleared, update, save, unkept };
}

/** Tells of each conversation that another tab has kept (`found`) or deleted (null). */
function onOtherTab(accountId: string, tell: (id: string, found: Conversation | null) => void): () => void {
  const prefix = `playground:${accountId}:chat:`;
  const listen = ({ key }: StorageEvent) => {
    if (!key?.startsWith(prefix)) return;
    const id = key.slice(prefix.length);
    tell(id, readConversations(accountId).find((one) => one.id === id) ?? null);
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}

export type Conversations = ReturnType<typeof useConversations>;
