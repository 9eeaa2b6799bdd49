// The entry of the playground's two route handlers: from a browser's request to the owner of its session.

import type { NextRequest } from "next/server";
import { foreignOrigin, readOwner, stalePage } from "@/app/(console)/session-guard";
import { log } from "@/lib/base/observe/log";
import { isCsrfToken, isSameOrigin } from "@/lib/console/sign-in/same-origin";
import { isFresh } from "@/lib/console/step-up";
import { readWebBody, webResponse } from "@/lib/gateway/http/next-handler";
import type { GatewayReply } from "@/lib/gateway/http/request";
import type { OwnerRequest, SignedInOwner } from "@/lib/gateway/prompt/playground";
import { prepareGateway } from "@/lib/gateway/prompt/prepare";

type OwnerEndpoint = (owner: SignedInOwner, request: OwnerRequest) => Promise<GatewayReply>;

/** A route handler that only pages of the owner's own session can call. */
export const forOwner =
  (endpoint: OwnerEndpoint) =>
  async (request: NextRequest): Promise<Response> => {
    if (!isSameOrigin(request)) return foreignOrigin();
    const signedIn = await readOwner(request);
    if (signedIn instanceof Response) return signedIn;
    const { owner } = signedIn;
    if (!isCsrfToken(owner, request.headers.get("x-csrf-token"))) return stalePage();
    await prepareGateway().catch((error: unknown) => log().error({ err: error }, "the gateway could not be prepared"));
    const reply = await endpoint(
      { accountId: owner.accountId, isConfirmed: isFresh(owner) },
      {
        contentType: request.headers.get("content-type") ?? undefined,
        readBody: (limitBytes, bounds) => readWebBody(request, limitBytes, bounds),
        signal: request.signal,
      },
    );
    // Next compresses responses, and compression buffers the pieces of a stream.
    reply.headers["cache-control"] = "no-store, no-transform";
    return webResponse(reply);
  };
