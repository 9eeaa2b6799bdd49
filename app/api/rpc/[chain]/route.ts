// The chains' JSON-RPC proxy, for wallet libraries in our pages.

import type { NextRequest } from "next/server";
import { findSignedIn } from "@/app/(console)/session-guard";
import { answerRpc } from "@/lib/console/deposit/rpc-proxy";
import { discardWebBody } from "@/lib/gateway/http/next-handler";

export const dynamic = "force-dynamic";

export async function POST(request: NextRequest, { params }: { params: Promise<{ chain: string }> }): Promise<Response> {
  const answer = await answerRpc(request, (await params).chain, () => findSignedIn(request));
  void discardWebBody(request); // of a request that was refused unread
  return answer;
}
