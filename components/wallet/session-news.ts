"use client";

// What the tabs of one browser tell each other: that somebody has signed in or out in one of them. They share one cookie.

import { useEffect } from "react";

const CHANNEL = "session";

/** Tells the other tabs that the session they were drawn for is no longer the browser's. */
export function notifySessionChanged(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("changed");
  channel.close();
}

/** Calls `changed` whenever another tab says so; returns how to stop. */
function watchSession(changed: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", changed);
  return () => channel.close();
}

/** Loads the page anew when another tab signs in or out: what stands here then belongs to another session. */
export function SessionWatch() {
  useEffect(() => watchSession(() => window.location.reload()), []);
  return null;
}
