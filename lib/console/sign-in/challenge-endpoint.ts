// The first half of signing in, called by a page: it names its wallet and gets the text to sign.

import { z } from "zod";
import { readPageClient } from "@/lib/access/page-client";
import { log } from "@/lib/base/observe/log";
import { walletChains } from "@/lib/chains/wallet";
import { type RefusalReason, refusalText } from "../refusals";
import { readBodyJson } from "../request-body";
import { isSameOrigin } from "./same-origin";
import { startSignIn } from "./sign-in";

const bodySchema = z.object({ chain: z.enum(walletChains), address: z.string().min(1).max(64) });

const MAX_BODY_BYTES = 1_024;

const statusOf = { invalid_request: 400, address_invalid: 400, wrong_origin: 403, too_many_attempts: 429, unavailable: 503 } as const;

/** Answers `{nonce, text, signInInput?}`, or `{reason, message}` with a matching status. */
export async function answerChallenge(request: Request): Promise<Response> {
  if (!isSameOrigin(request)) return refuse("wrong_origin");
  const body = bodySchema.safeParse(await readBodyJson(request, MAX_BODY_BYTES));
  if (!body.success) return refuse("invalid_request");
  try {
    const outcome = await startSignIn(body.data, readPageClient(request.headers));
    if (outcome.ok) return Response.json(outcome.challenge, { headers: { "cache-control": "no-store" } });
    return refuse(outcome.reason, outcome.reason === "too_many_attempts" ? outcome.retryAfterMs : undefined);
  } catch (error) {
    log().error({ err: error }, "could not create a sign-in challenge");
    return refuse("unavailable");
  }
}

function refuse(reason: RefusalReason & keyof typeof statusOf, retryAfterMs?: number): Response {
  const headers: Record<string, string> = { "cache-control": "no-store" };
  if (retryAfterMs !== undefined) headers["retry-after"] = `${Math.ceil(retryAfterMs / 1_000)}`;
  return Response.json({ reason, message: refusalText(reason) }, { status: statusOf[reason], headers });
}
