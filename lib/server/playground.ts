// The playground's prompts and quotes, in the process that answers the API: so an account's limits have one owner, however it asks. The
// session is checked here; Next is not asked.

import { admitSession, admitToPlayground, type PageRefusal } from "@/lib/console/session-guard";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { isFresh } from "@/lib/console/step-up";
import type { GatewayReply, IncomingRequest } from "@/lib/gateway/http/request";
import { answerForOwner, type OwnerEndpoint, quoteForOwner } from "@/lib/gateway/prompt/playground";
import { readCookie } from "./cookie";

const endpoints = new Map<string, OwnerEndpoint>([
  ["/playground/answer", answerForOwner],
  ["/playground/quote", quoteForOwner],
]);

export const isPlaygroundPath = (path: string): boolean => endpoints.has(path);

/** Answers a request of the owner's own page. Never throws. */
export async function answerPlayground(incoming: IncomingRequest): Promise<GatewayReply> {
  const { method, path, headers } = incoming;
  const endpoint = endpoints.get(path);
  if (method !== "POST" || !endpoint) return replyWith({ status: 405, reason: "method", error: "Send a POST request." }, { allow: "POST" });
  const token = readCookie(headers.cookie, sessionCookieName());
  const admitted = await admitToPlayground({ origin: headers.origin, token, csrfToken: headers["x-csrf-token"] });
  if (admitted.refusal) return replyWith(admitted.refusal);
  const { owner } = admitted;
  let ended: PageRefusal | undefined;
  const reply = await endpoint(
    { accountId: owner.accountId, isConfirmed: isFresh(owner) },
    {
      contentType: headers["content-type"],
      readBody: async (limitBytes, bounds) => {
        const body = await incoming.readBody(limitBytes, bounds);
        ended = (await admitSession(token)).refusal;
        return ended ? { text: "", problem: "cut_off" } : body;
      },
      // A getter: an HTTP server creates its signal on access.
      get signal() {
        return incoming.signal;
      },
    },
  );
  if (!ended) return reply;
  await reply.end();
  return replyWith(ended);
}

const replyWith = ({ status, ...body }: PageRefusal, more: Record<string, string> = {}): GatewayReply => ({
  status,
  headers: {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...more,
  },
  body: JSON.stringify({ error: body.error, reason: body.reason }),
  end: () => undefined,
});
