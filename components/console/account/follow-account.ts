// Follows the account in every visible tab of a browser over one event stream: a browser has few connections for all its tabs. One tab
// leads: it has the stream, and passes on what it gets. A tab in the background neither leads nor follows.

import { openStream, type StreamState } from "./account-stream";

interface Follower {
  onState: (state: StreamState) => void;
  /** The session is over, or the browser has another one now. */
  onOver: () => void;
}

/** Sent by a tab that has just begun to follow. */
const HELLO = "hello";

/** Follows the session's account until the returned function is called. */
export function followAccount(sessionId: string, follower: Follower): () => void {
  let leave = (): void => undefined;
  const look = () => {
    leave();
    leave = document.visibilityState === "visible" ? join(sessionId, follower) : () => undefined;
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    leave();
  };
}

function join(sessionId: string, { onState, onOver }: Follower): () => void {
  const left = new AbortController();
  const name = `account ${sessionId}`;
  const channel = new BroadcastChannel(name);
  left.signal.addEventListener("abort", () => channel.close(), { once: true });
  const show = (state: StreamState) => {
    if (left.signal.aborted) return;
    onState(state);
    if (state.isOver) left.abort();
    if (state.isOver) onOver();
  };
  const lead = () => {
    let latest: StreamState | null = null;
    channel.onmessage = ({ data }) => {
      if (data === HELLO && latest) channel.postMessage(latest);
    };
    const close = openStream(`/account/events?session=${encodeURIComponent(sessionId)}`, (state) => {
      latest = state;
      channel.postMessage(state);
      show(state);
    });
    left.signal.addEventListener("abort", close, { once: true });
  };
  channel.onmessage = ({ data }) => {
    if (data !== HELLO) show(data as StreamState);
  };
  channel.postMessage(HELLO);
  void leadInTurn(name, left.signal, lead);
  return () => left.abort();
}

/** Calls `lead` as soon as no other tab leads, and keeps the lead until `left`. Where the browser has no locks, each tab leads. */
async function leadInTurn(name: string, left: AbortSignal, lead: () => void): Promise<void> {
  const { locks } = navigator as { locks?: LockManager }; // absent over plain http from another machine
  if (!locks) return lead();
  const keepLead = () =>
    new Promise<void>((resolve) => {
      if (left.aborted) return resolve();
      left.addEventListener("abort", () => resolve(), { once: true });
      lead();
    });
  await locks.request(name, { signal: left }, keepLead).catch(() => undefined); // left before its turn
}
