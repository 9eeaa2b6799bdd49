// Codex needs one thing otherwise than OpenAI's own client: a prompt that is too long as an event. Codex reads `context_length_exceeded` in
// the event `response.failed` alone (codex-rs/codex-api/src/sse/responses.rs), as OpenAI streams it; a 400 of any content ends its turn
// (api_bridge.rs there), and its compaction, which would drop the oldest item and ask again. Everybody else gets the true status.

import { type AppError, isAppError } from "@/lib/base/errors";
import { chatErrorBody } from "../chat/errors";
import { eventStreamHeaders, jsonReply } from "../http/endpoint";
import type { GatewayReply, GatewayRequest } from "../http/request";
import { readOverflow } from "../prompt/context-overflow";

/** Every surface of Codex names itself: codex_cli_rs, codex_exec, codex_vscode. */
const isCodexStream = ({ headers }: GatewayRequest): boolean =>
  /^codex/i.test(headers.originator ?? "") && (headers.accept ?? "").includes("text/event-stream");

/**
 * The reply to Codex for a prompt that is too long: a stream that fails at once.
 * @throws unknown the error itself, for every other error and client
 */
export function replyToCodex(request: GatewayRequest, error: unknown): GatewayReply {
  if (!isAppError(error) || !isCodexStream(request) || !readOverflow(error)) throw error;
  request.facts.brokeOff = error.code;
  const response = failedResponse(request, error);
  const event = JSON.stringify({ type: "response.failed", sequence_number: 0, response });
  return jsonReply(request, 200, `event: response.failed\ndata: ${event}\n\n`, eventStreamHeaders);
}

function failedResponse({ id, arrivedAtMs, facts }: GatewayRequest, error: AppError): object {
  const { error: told } = JSON.parse(chatErrorBody(error, id)) as { error: object };
  return {
    id,
    object: "response",
    created_at: Math.floor(arrivedAtMs / 1000),
    status: "failed",
    completed_at: null,
    error: told,
    incomplete_details: null,
    model: facts.model ?? null,
    output: [],
    usage: null,
  };
}
