// Who may have how many pages rendered at once. Rendering one takes the event loop of the pages for tens of milliseconds, and a stranger's
// request costs nothing.

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { siteOf } from "@/lib/access/client-address";
import { type GiveBack, Shares } from "@/lib/access/limits/shares";
import { CLIENT_HEADER } from "@/lib/access/page-client";
import { metrics } from "@/lib/base/observe/metrics";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { readCookie } from "../cookie";

const waits = { waiting: 500, mostWaitMs: 15_000 };
/** A reader that takes its page slowly does not keep the place of the next one. */
const MOST_HELD_MS = 5_000;

export class PageShares {
  // By site: the holder of an IPv6 /48 has 65,536 networks to wait in.
  readonly #networks = new Shares({ places: 8, ofOne: 4, waitingOfOne: 60, ...waits });
  // Without limits in all: nobody has checked these cookies, so made-up ones must not fill the places of real ones.
  readonly #sessions = new Shares({ ...waits, places: Infinity, ofOne: 3, waitingOfOne: 30, waiting: Infinity });

  /** Resolves with the function that gives the places back; null when this network or session has too many. */
  async take(message: IncomingMessage, response: ServerResponse): Promise<GiveBack | null> {
    if (!isRendered(message)) return () => undefined;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const [address] = [message.headers[CLIENT_HEADER] ?? "unknown"].flat();
    const session = readCookie(message.headers.cookie, sessionCookieName());
    // First the session's: who waits for it must not hold a place of the network.
    const ofSession = session
      ? await this.#sessions.take(createHash("sha256").update(session).digest("base64"), gone.signal)
      : () => undefined;
    const ofNetwork = ofSession && (await this.#networks.take(siteOf(address ?? "unknown"), gone.signal));
    if (!ofNetwork) {
      ofSession?.();
      metrics().limited.inc({ limit: "pages" });
      return null;
    }
    const giveBack = () => {
      clearTimeout(late);
      ofNetwork();
      ofSession();
    };
    const late = setTimeout(giveBack, MOST_HELD_MS);
    return giveBack;
  }
}

/** Not files, route handlers, the stream of an account's events and what forms send: those have limits of their own. */
function isRendered({ method = "GET", url = "/" }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  // By its path, and not by what a client says that it accepts.
  return !url.startsWith("/_next/static/") && !url.startsWith("/api/") && url.split("?", 1)[0] !== "/account/events";
}
