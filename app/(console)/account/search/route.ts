// GET /account/search?request=req_…: what the command palette finds in the signed-in account.

import type { NextRequest } from "next/server";
import { findSignedIn, refusalResponse } from "@/app/(console)/session-guard";
import { searchAccount } from "@/lib/console/account/search-account";
import { foreignOrigin, ownerUnavailable, signedOut } from "@/lib/console/session-guard";
import { isFromOwnPage } from "@/lib/console/sign-in/same-origin";

export const dynamic = "force-dynamic";

export async function GET(request: NextRequest): Promise<Response> {
  if (!isFromOwnPage(request)) return refusalResponse(foreignOrigin);
  const signedIn = await findSignedIn(request);
  if (signedIn === "unavailable") return refusalResponse(ownerUnavailable);
  if (!signedIn) return refusalResponse(signedOut);
  const found = await searchAccount(signedIn.owner, request.nextUrl.searchParams.get("request"));
  return Response.json(found, { headers: { "cache-control": "no-store" } });
}
