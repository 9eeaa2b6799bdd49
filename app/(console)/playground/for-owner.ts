// The playground's two route handlers, for hosting without our own HTTP server: lib/server/playground.ts answers these paths otherwise.

import type { NextRequest } from "next/server";
import { readToken, refusalResponse } from "@/app/(console)/session-guard";
import { log } from "@/lib/base/observe/log";
import { admitSession, admitToPlayground } from "@/lib/console/session-guard";
import { maySpendFreely } from "@/lib/console/step-up";
import { readWebBody, webResponse } from "@/lib/gateway/http/next-handler";
import { answerWhileAdmitted, type OwnerEndpoint } from "@/lib/gateway/prompt/playground";
import { prepareGateway } from "@/lib/gateway/prompt/prepare";

/** A route handler that only pages of the owner's own session can call. */
export const forOwner =
  (endpoint: OwnerEndpoint) =>
  async (request: NextRequest): Promise<Response> => {
    const token = readToken(request);
    const header = (name: string) => request.headers.get(name) ?? undefined;
    const admitted = await admitToPlayground({ origin: header("origin"), token, csrfToken: header("x-csrf-token") });
    if (admitted.refusal) return refusalResponse(admitted.refusal);
    const { owner } = admitted;
    await prepareGateway().catch((error: unknown) => log().error({ err: error }, "the gateway could not be prepared"));
    const { reply, refusal } = await answerWhileAdmitted(
      endpoint,
      { accountId: owner.accountId, isConfirmed: maySpendFreely(owner) },
      {
        contentType: header("content-type"),
        readBody: (limitBytes, bounds) => readWebBody(request, limitBytes, bounds),
        signal: request.signal,
      },
      async () => (await admitSession(token)).refusal,
    );
    // Next compresses responses, and compression buffers the pieces of a stream.
    reply.headers["cache-control"] = "no-store, no-transform";
    const response = await webResponse(reply);
    return refusal ? refusalResponse(refusal) : response;
  };
