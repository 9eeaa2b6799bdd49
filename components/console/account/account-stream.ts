// The account's event stream, in the tab that leads. A broken stream is reopened; after a refusal the view is fetched once, and the next
// attempt waits with exponential backoff.

export interface StreamState {
  /** The newest view, as it was sent; null before the first. */
  text: string | null;
  /** False once the stream has been down for longer than a moment. */
  isLive: boolean;
  /** The session is over, or the browser has another one now. */
  isOver: boolean;
}

const MOMENT_MS = 3_000;
const FIRST_RETRY_MS = 3_000;
const MAX_RETRY_MS = 30_000;

/** Reports each change of the stream at `url` until the returned function is called. */
export function openStream(url: string, onState: (state: StreamState) => void): () => void {
  let state: StreamState = { text: null, isLive: true, isOver: false };
  let source: EventSource | null = null;
  let retryMs = FIRST_RETRY_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let moment: ReturnType<typeof setTimeout> | undefined;

  const report = (change: Partial<StreamState>) => {
    state = { ...state, ...change };
    onState(state);
  };
  const close = () => {
    clearTimeout(retry);
    clearTimeout(moment);
    source?.close();
    source = null;
  };
  const end = () => {
    close();
    report({ isOver: true });
  };
  const open = () => {
    source?.close();
    const opened = new EventSource(url);
    source = opened;
    opened.addEventListener("view", ({ data }) => {
      retryMs = FIRST_RETRY_MS;
      clearTimeout(moment);
      moment = undefined;
      report({ text: data, isLive: true });
    });
    opened.addEventListener("ended", end);
    opened.addEventListener("error", () => {
      moment ??= setTimeout(() => report({ isLive: false }), MOMENT_MS);
      if (opened.readyState === EventSource.CLOSED) void fetchOnce(); // otherwise the browser reconnects automatically
    });
  };
  const fetchOnce = async () => {
    const answer = await fetch(url, { headers: { accept: "application/json" }, cache: "no-store" }).catch(() => null); // unreachable
    if (source === null) return; // closed meanwhile
    if (answer?.status === 401 || answer?.status === 403) return end();
    if (answer?.ok) report({ text: await answer.text() });
    retry = setTimeout(open, retryMs);
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
  };
  open();
  return close;
}
