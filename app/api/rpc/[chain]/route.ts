// The chains' JSON-RPC proxy, for wallet libraries in our pages.

import { answerRpc } from "@/lib/console/deposit/rpc-proxy";

export const dynamic = "force-dynamic";

export async function POST(request: Request, { params }: { params: Promise<{ chain: string }> }): Promise<Response> {
  return answerRpc(request, (await params).chain);
}
