// The account as server-sent events: its view at once, and again after each change, as long as the session is valid.

import { log } from "@/lib/base/observe/log";
import { findOwnerOf, type Owner } from "../owner";
import type { AccountView } from "../views/account";
import { accountText } from "./account-view";
import { watchAccount } from "./account-watch";

/** An ended session ends its streams within this time. */
const SESSION_LOOKED_UP_EVERY_MS = 5_000;
/** How soon a browser reconnects after its stream broke. */
const RETRY_MS = 2_000;

/** The page's session is over. */
export const ENDED_EVENT = "event: ended\ndata: {}\n\n";

interface StreamOptions {
  /** The session cookie that opened the stream. */
  token: string;
  owner: Owner;
  /** Aborts when the reader has gone or the process ends. */
  ended: AbortSignal;
}

/** Null when the account, or the service, has too many streams open. `ended` ends the stream, even while nobody reads it. */
export function openAccountStream({ token, owner, ended }: StreamOptions): AsyncGenerator<string> | null {
  const over = new AbortController();
  const inbox = createInbox(over.signal);
  const stop = watchAccount(owner.accountId, { onView: inbox.put, onFailure: () => over.abort() });
  if (!stop) return null;
  over.signal.addEventListener("abort", stop, { once: true });
  const end = () => over.abort();
  ended.addEventListener("abort", end, { once: true });
  if (ended.aborted) end();
  return writeEvents({ token, owner, ended: over.signal }, inbox, () => {
    ended.removeEventListener("abort", end);
    end();
  });
}

async function* writeEvents({ token, owner, ended }: StreamOptions, inbox: Inbox, end: () => void): AsyncGenerator<string> {
  try {
    yield `retry: ${RETRY_MS}\n\n`;
    for (;;) {
      const view = await inbox.next(SESSION_LOOKED_UP_EVERY_MS);
      if (ended.aborted) return;
      if ((await findOwnerOf(token))?.sessionId !== owner.sessionId) {
        yield ENDED_EVENT;
        return;
      }
      if (view) yield `event: view\ndata: ${accountText(view)}\n\n`;
    }
  } catch (error) {
    log().warn({ err: error }, "an account stream broke; its page reconnects");
  } finally {
    end();
  }
}

interface Inbox {
  /** Replaces a view that nobody has taken yet. */
  put: (view: AccountView) => void;
  /** The newest view; null after `ms` without one, and once the stream has ended. */
  next: (ms: number) => Promise<AccountView | null>;
}

function createInbox(ended: AbortSignal): Inbox {
  let newest: AccountView | null = null;
  let wake = (): void => undefined;
  ended.addEventListener("abort", () => wake(), { once: true });
  return {
    put: (view) => {
      newest = view;
      wake();
    },
    next: async (ms) => {
      if (newest === null && !ended.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms).unref();
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const view = newest;
      newest = null;
      return view;
    },
  };
}
