"use client";

// Messages between the tabs of one browser, which share one cookie: a person has signed in or out in one of them.

import { useEffect } from "react";

const CHANNEL = "session";

/** Notifies the other tabs that the browser's session has changed. */
export function notifySessionChanged(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("changed");
  channel.close();
}

/** Calls `changed` whenever another tab reports it; returns a function that stops it. */
function watchSession(changed: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", changed);
  return () => channel.close();
}

/** Reloads the page when another tab signs in or out: its contents then belong to another session. */
export function SessionWatch() {
  useEffect(() => watchSession(() => window.location.reload()), []);
  return null;
}
