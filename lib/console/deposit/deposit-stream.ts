// The deposit page's data as server-sent events: all of it at once, and again after each change, as long as the session is valid.
// Each read happens after the session was checked, so nothing older is sent.

import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { findOwnerOf, type Owner } from "../owner";
import type { DepositView } from "../views/deposit";
import { readDepositView } from "./deposit";
import { awaitDepositNews, isDepositNewsHeard } from "./deposit-news";

/** An ended session ends its streams within this time. */
const SESSION_LOOKED_UP_EVERY_MS = 5_000;
/** Changes closer together than this are sent as one: a block may hold several. */
const SETTLE_MS = 250;
/** How soon a browser reconnects after its stream broke. */
const RETRY_MS = 2_000;

interface StreamOptions {
  /** The session cookie that opened the stream. */
  token: string;
  owner: Owner;
  /** Aborts when the reader has gone or the process ends. */
  ended: AbortSignal;
}

/** Null when the account, or the service, has too many streams open. `ended` ends the stream, even while nobody reads it. */
export function openDepositStream({ token, owner, ended }: StreamOptions): AsyncGenerator<string> | null {
  const bell = createBell(ended);
  const stop = awaitDepositNews(owner.accountId, bell.ring);
  if (!stop) return null;
  if (ended.aborted) stop();
  ended.addEventListener("abort", stop, { once: true });
  return writeEvents({ token, owner, ended }, bell, stop);
}

async function* writeEvents({ token, owner, ended }: StreamOptions, bell: Bell, stop: () => void): AsyncGenerator<string> {
  let shown = "";
  try {
    yield `retry: ${RETRY_MS}\n\n`;
    for (let isNew = true; !ended.aborted; isNew = (await bell.rings(SESSION_LOOKED_UP_EVERY_MS)) || !isDepositNewsHeard()) {
      if (!(await isStillOpen(token, owner))) {
        yield "event: ended\ndata: {}\n\n";
        return;
      }
      if (!isNew) continue;
      const { readAtMs, ...view } = await readDepositView(owner.accountId);
      const text = viewText(view);
      if (text !== shown) yield `event: view\ndata: ${viewText({ readAtMs, ...view })}\n\n`;
      shown = text;
      await bell.settle(SETTLE_MS);
    }
  } catch (error) {
    log().warn({ err: error }, "a stream of deposits broke off; its page asks again");
  } finally {
    stop();
    ended.removeEventListener("abort", stop);
  }
}

async function isStillOpen(token: string, { sessionId }: Owner): Promise<boolean> {
  return (await findOwnerOf(token))?.sessionId === sessionId;
}

/** Amounts are whole nano-USD, as text: a JSON number would be rounded. */
const viewText = (view: Partial<DepositView>): string =>
  JSON.stringify(view, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));

/** The data of one such event, for a page without a stream. */
export const readDepositText = async (accountId: AccountId): Promise<string> => viewText(await readDepositView(accountId));

interface Bell {
  ring: () => void;
  /** True when it has rung since the last call, or rings within `ms`; false after `ms`, and when the stream has ended. */
  rings: (ms: number) => Promise<boolean>;
  /** Waits for `ms`, or until the stream has ended. */
  settle: (ms: number) => Promise<void>;
}

function createBell(ended: AbortSignal): Bell {
  let hasRung = false;
  let wake = (): void => undefined;
  const wait = (ms: number, isOver: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      wake = () => {
        if (!isOver()) return;
        clearTimeout(timer);
        resolve();
      };
      wake();
    });
  ended.addEventListener("abort", () => wake(), { once: true });
  return {
    ring: () => {
      hasRung = true;
      wake();
    },
    rings: async (ms) => {
      await wait(ms, () => hasRung || ended.aborted);
      const rang = hasRung && !ended.aborted;
      hasRung = false;
      return rang;
    },
    settle: (ms) => wait(ms, () => ended.aborted),
  };
}
