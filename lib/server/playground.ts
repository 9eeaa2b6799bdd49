// The playground's prompts and quotes, in the process that answers the API: so an account's limits have one owner, however it asks. The
// session is checked here; Next is not asked.

import { admitSession, admitToPlayground, type PageRefusal } from "@/lib/console/session-guard";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { maySpendFreely } from "@/lib/console/step-up";
import type { GatewayReply, IncomingRequest } from "@/lib/gateway/http/request";
import { answerForOwner, answerWhileAdmitted, type OwnerEndpoint, quoteForOwner } from "@/lib/gateway/prompt/playground";
import { readCookie } from "./cookie";

const endpoints = new Map<string, OwnerEndpoint>([
  ["/playground/answer", answerForOwner],
  ["/playground/quote", quoteForOwner],
]);

export const playgroundPaths: ReadonlySet<string> = new Set(endpoints.keys());

/** Answers a request of the owner's own page. Never throws. */
export async function answerPlayground(incoming: IncomingRequest): Promise<GatewayReply> {
  const { method, path, headers } = incoming;
  const endpoint = endpoints.get(path);
  if (method !== "POST" || !endpoint) return replyWith({ status: 405, reason: "method", error: "Send a POST request." }, { allow: "POST" });
  const token = readCookie(headers.cookie, sessionCookieName());
  const admitted = await admitToPlayground({ origin: headers.origin, token, csrfToken: headers["x-csrf-token"] });
  if (admitted.refusal) return replyWith(admitted.refusal);
  const { owner } = admitted;
  const { reply, refusal } = await answerWhileAdmitted(
    endpoint,
    { accountId: owner.accountId, isConfirmed: maySpendFreely(owner) },
    {
      contentType: headers["content-type"],
      readBody: (limitBytes, bounds) => incoming.readBody(limitBytes, bounds),
      signal: incoming.signal,
    },
    async () => (await admitSession(token)).refusal,
  );
  if (!refusal) return reply;
  await reply.end();
  return replyWith(refusal);
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
