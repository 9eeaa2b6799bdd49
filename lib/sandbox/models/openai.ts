// OpenAI, and the two vendors with variants of its chat completions: xAI and DeepSeek.

import type { IncomingHttpHeaders } from "node:http";
import { deepseekRefusal, openaiError, openaiRefusal, toReply, xaiRefusal } from "./openai/refusals";
import { type Dialect, writeChunks, writeCompletion } from "./openai/reply";
import { readDeepseekCall, readOpenaiCall, readXaiCall } from "./openai/request";
import { deepseekUsage, openaiUsage, xaiUsage } from "./openai/usage";
import { errorEvent, failedResponse, writeEvents, writeResponse } from "./responses/reply";
import { readResponsesCall } from "./responses/request";
import type { CallReading, Refusal, Vendor } from "./vendor";

interface Accent {
  provider: "openai" | "xai" | "deepseek";
  basePath: string;
  /** The chat completions paths below the base path. */
  paths: readonly string[];
  /** OpenAI's newer interface. */
  responsesPath?: string;
  modelNames: RegExp;
  limitBoundsReasoning: boolean;
  dialect: Dialect;
  readCall(body: unknown): CallReading;
  refuse(refusal: Refusal): { status: number; body: string };
  replyHeaders(requestId: string): Record<string, string>;
}

export const openai = vendor({
  provider: "openai",
  basePath: "/openai/v1",
  paths: ["/chat/completions"],
  responsesPath: "/responses",
  modelNames: /^(gpt-|chatgpt-|o\d)/,
  limitBoundsReasoning: true,
  dialect: {
    idPrefix: "chatcmpl-",
    extras: { service_tier: "default", system_fingerprint: "fp_simulated" },
    showsReasoning: false,
    usageComesWith: "chunk",
    usage: openaiUsage,
    namesAbsentFields: true,
    callsComeWhole: false,
    writeCallId: (id) => `call_${id}`,
  },
  readCall: readOpenaiCall,
  refuse: openaiRefusal,
  replyHeaders: (requestId) => ({ "x-request-id": `req_${requestId}`, "openai-version": "2020-10-01" }),
});

export const xai = vendor({
  provider: "xai",
  basePath: "/xai/v1",
  paths: ["/chat/completions"],
  modelNames: /^grok(-|$)/,
  limitBoundsReasoning: false,
  dialect: {
    idPrefix: "",
    extras: { system_fingerprint: "fp_simulated" },
    showsReasoning: true,
    usageComesWith: "chunk",
    usage: xaiUsage,
    namesAbsentFields: false,
    callsComeWhole: true,
    writeCallId: (id) => `call_${id.slice(0, 8)}`,
  },
  readCall: readXaiCall,
  refuse: xaiRefusal,
  replyHeaders: (requestId) => ({ "x-request-id": requestId }),
});

export const deepseek = vendor({
  provider: "deepseek",
  basePath: "/deepseek",
  paths: ["/chat/completions", "/v1/chat/completions"],
  modelNames: /^deepseek-/,
  limitBoundsReasoning: true,
  dialect: {
    idPrefix: "",
    extras: { system_fingerprint: "fp_simulated" },
    showsReasoning: true,
    usageComesWith: "finish",
    usage: deepseekUsage,
    namesAbsentFields: false,
    callsComeWhole: false,
    writeCallId: (id, index) => `call_${String(index).padStart(2, "0")}_${id.slice(0, 20)}`,
  },
  readCall: readDeepseekCall,
  refuse: deepseekRefusal,
  replyHeaders: (requestId) => ({ "x-ds-trace-id": requestId }),
});

function vendor({ paths, responsesPath, dialect, ...accent }: Accent): Vendor {
  return {
    ...accent,
    callsComeWhole: dialect.callsComeWhole,
    readPath: (path) => (path === responsesPath ? { isResponses: true } : paths.includes(path) ? {} : null),
    readCall: (body, { isResponses }) => (isResponses ? readResponsesCall(body) : accent.readCall(body)),
    readKey: readBearer,
    refuse: (refusal, requestId) => toReply(refusal, accent.refuse(refusal), accent.replyHeaders(requestId)),
    writeJson: (answer, call) => (call.responses ? writeResponse(answer, call) : writeCompletion(answer, dialect)),
    writeStream: (answer, call) => (call.responses ? writeEvents(answer, call) : writeChunks(answer, call, dialect)),
    writeLateError: ({ stream, responses }) => {
      const message = "The server had an error while processing your request. Sorry about that!";
      if (responses) return stream ? errorEvent(message) : failedResponse(message);
      const { body } = openaiError(500, message, { type: "server_error" });
      return stream ? `data: ${JSON.stringify(JSON.parse(body))}\n\n` : body;
    },
  };
}

function readBearer(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}
