// The door of the playground's two route handlers: from a browser's request to the owner whose session it carries.

import type { NextRequest } from "next/server";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { findOwnerOf } from "@/lib/console/owner";
import { isCsrfToken, isSameOrigin } from "@/lib/console/same-origin";
import { sessionCookieName } from "@/lib/console/session-cookie";
import type { OwnerRequest } from "@/lib/gateway/playground";
import { prepareGateway } from "@/lib/gateway/prepare";
import type { GatewayReply } from "@/lib/gateway/request";
import { readWebBody, webResponse } from "@/lib/gateway/web-door";

type OwnerEndpoint = (accountId: AccountId, asked: OwnerRequest) => Promise<GatewayReply>;

/** A route handler that only pages of the owner's own session reach. */
export const forOwner =
  (endpoint: OwnerEndpoint) =>
  async (request: NextRequest): Promise<Response> => {
    if (!isSameOrigin(request)) return refusal(403, "foreign_origin", "This did not come from a page of this service.");
    const token = request.cookies.get(sessionCookieName())?.value;
    const owner = token ? await findOwnerOf(token).catch(noteAway) : null;
    if (owner === "away") return refusal(503, "unavailable", "The service cannot look up who you are at the moment.");
    if (!owner) return refusal(401, "signed_out", "You are signed out.");
    if (!isCsrfToken(owner, request.headers.get("x-csrf-token"))) {
      return refusal(403, "stale_page", "This page belongs to another session.");
    }
    await prepareGateway().catch((error: unknown) => log().error({ err: error }, "the gateway could not be prepared"));
    const reply = await endpoint(owner.accountId, {
      contentType: request.headers.get("content-type") ?? undefined,
      ...(await readWebBody(request)),
      signal: request.signal,
    });
    // Next packs what it sends, and packing collects the pieces of a stream.
    reply.headers["cache-control"] = "no-store, no-transform";
    return webResponse(reply);
  };

function noteAway(error: unknown): "away" {
  log().error({ err: error }, "the owner of a playground request could not be looked up");
  return "away";
}

/** What is refused before the gateway; it has no code of the catalogue, since no program meets it. */
const refusal = (status: number, reason: string, error: string): Response =>
  Response.json({ error, reason }, { status, headers: { "cache-control": "no-store" } });
