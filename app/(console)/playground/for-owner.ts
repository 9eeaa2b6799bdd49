// The entry of the playground's two route handlers: from a browser's request to the owner of its session.

import type { NextRequest } from "next/server";
import { foreignOrigin, readOwner, refusal, signedOut, stalePage } from "@/app/(console)/session-guard";
import { log } from "@/lib/base/observe/log";
import { frozenRefusal } from "@/lib/console/answer";
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
    if (owner.isLeaving) return refusal(403, "leaving", frozenRefusal().message);
    if (!isCsrfToken(owner, request.headers.get("x-csrf-token"))) return stalePage();
    await prepareGateway().catch((error: unknown) => log().error({ err: error }, "the gateway could not be prepared"));
    let ended: Response | undefined;
    const reply = await endpoint(
      { accountId: owner.accountId, isConfirmed: isFresh(owner) },
      {
        contentType: request.headers.get("content-type") ?? undefined,
        readBody: async (limitBytes, bounds) => {
          const body = await readWebBody(request, limitBytes, bounds);
          // It may have taken minutes, in which the session was ended, or its wallet began to leave.
          const still = await readOwner(request);
          if (!(still instanceof Response) && !still.owner.isLeaving) return body;
          ended = still instanceof Response ? still : signedOut();
          return { text: "", problem: "cut_off" };
        },
        signal: request.signal,
      },
    );
    // Next compresses responses, and compression buffers the pieces of a stream.
    reply.headers["cache-control"] = "no-store, no-transform";
    const response = await webResponse(reply);
    return ended ?? response;
  };
