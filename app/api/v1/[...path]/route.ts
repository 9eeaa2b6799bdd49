// The API's route handler, for hosting without our own HTTP server: one handler for all methods. Next itself would answer an
// unknown path with HTML and a wrong method with an empty body, so the gateway's own router decides.

import { log } from "@/lib/base/observe/log";
import { discardWebBody, readWebBody, readWebClient, webResponse } from "@/lib/gateway/http/next-handler";
import { answer } from "@/lib/gateway/http/router";
import { prepareGateway } from "@/lib/gateway/prompt/prepare";

export const dynamic = "force-dynamic";

async function answerRequest(request: Request): Promise<Response> {
  // Without a database health must still answer; every other endpoint reports on its own that it cannot.
  await prepareGateway().catch((error: unknown) => log().error({ err: error }, "the gateway could not be prepared"));
  const { pathname, search } = new URL(request.url);
  const reply = await answer({
    method: request.method,
    path: pathname,
    query: search.slice(1),
    headers: Object.fromEntries(request.headers),
    readBody: (limitBytes, bounds) => readWebBody(request, limitBytes, bounds),
    remoteAddress: readWebClient(request),
    signal: request.signal,
  });
  void discardWebBody(request);
  return webResponse(reply);
}

export {
  answerRequest as DELETE,
  answerRequest as GET,
  answerRequest as HEAD,
  answerRequest as OPTIONS,
  answerRequest as PATCH,
  answerRequest as POST,
  answerRequest as PUT,
};
