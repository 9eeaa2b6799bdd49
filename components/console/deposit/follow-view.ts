// Keeps the deposit page up to date over one event stream. A broken stream is reopened; after a refusal the view is fetched once, and
// the next attempt waits with exponential backoff. A page in the background holds no connection: a browser has few of them for all
// its tabs.

import type { DepositView } from "@/lib/console/views/deposit";
import { readView } from "./read-view";

interface Follower {
  onView: (view: DepositView) => void;
  /** True while the stream is up; false once it has been down for longer than a moment. */
  onLive: (isLive: boolean) => void;
  /** The session is over, or the browser has another one now. */
  onOver: () => void;
}

const MOMENT_MS = 3_000;
const FIRST_RETRY_MS = 3_000;
const MAX_RETRY_MS = 30_000;

/** Follows the view at `url` until the returned function is called. */
export function followView(url: string, { onView, onLive, onOver }: Follower): () => void {
  let source: EventSource | null = null;
  let retryMs = FIRST_RETRY_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let moment: ReturnType<typeof setTimeout> | undefined;

  const markLive = () => {
    clearTimeout(moment);
    moment = undefined;
    onLive(true);
  };
  const markDown = () => {
    moment ??= setTimeout(() => onLive(false), MOMENT_MS);
  };
  const close = () => {
    clearTimeout(retry);
    source?.close();
    source = null;
  };
  const over = () => {
    stop();
    onOver();
  };
  const open = () => {
    close();
    const opened = new EventSource(url);
    source = opened;
    opened.addEventListener("view", ({ data }) => {
      retryMs = FIRST_RETRY_MS;
      markLive();
      onView(readView(data));
    });
    opened.addEventListener("ended", over);
    opened.addEventListener("error", () => {
      markDown();
      if (opened.readyState === EventSource.CLOSED) void fetchOnce(); // otherwise the browser reconnects automatically
    });
  };
  const fetchOnce = async () => {
    const answer = await fetch(url, { headers: { accept: "application/json" }, cache: "no-store" }).catch(() => null); // unreachable
    if (source === null) return; // stopped, or hidden, meanwhile
    if (answer?.status === 401 || answer?.status === 403) return over();
    if (answer?.ok) onView(readView(await answer.text()));
    retry = setTimeout(open, retryMs);
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
  };
  const look = () => (document.visibilityState === "visible" ? open() : close());
  const stop = () => {
    document.removeEventListener("visibilitychange", look);
    clearTimeout(moment);
    close();
  };
  document.addEventListener("visibilitychange", look);
  look();
  return stop;
}
