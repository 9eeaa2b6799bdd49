// The body of POST /api/v1/responses: OpenAI's own, stateless. Fields that need a memory of ours are refused, with the cure; fields that
// change nothing we could promise (`service_tier`, `truncation`, `client_metadata`, …) are ignored, as are unknown ones; `user` is kept
// with the charge.

import { z } from "zod";
import type { AccountId } from "@/lib/base/ids";
import { runInSlices, type Slices } from "@/lib/base/slices";
import { type ChatMessage, contentText } from "@/lib/providers/conversation/messages";
import type { CallOptions } from "@/lib/providers/types";
import { isRecord } from "@/lib/providers/wire-value";
import { INVALID_ENCRYPTED_CONTENT } from "../chat/errors";
import type { Caller } from "../http/caller";
import { between, reasoningEffort, refusedField } from "../http/dialect-fields";
import { isLong, parseLong } from "../http/few-faults";
import { type GatewayRequest, type Issue, invalidRequest, parseGiven, readIssues, readJsonBody } from "../http/request";
import { saidToOpenAI } from "../http/said";
import { ImageReader } from "../prompt/images";
import { type Prompt, readMaxCost, readModel, readOutputLimits, refuseLongText } from "../prompt/prompt-body";
import type { ToolNames } from "../prompt/tool-calls/names";
import { leastSummary, summarizing, summaryRequest } from "./compaction";
import { type ItemReading, readItems } from "./items";
import { readFormat, textFormat } from "./text-format";
import { toolChoiceSchema } from "./tool-choice";
import { readResponsesTools } from "./tools";

/** OpenAI's limits. One check for the whole: zod would copy a megabyte of names one by one. */
function isMetadata(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const names = Object.keys(value);
  return names.length <= 16 && names.every((name) => name.length <= 64 && isShortText(value[name]));
}

const isShortText = (value: unknown): boolean => typeof value === "string" && value.length <= 512;

/** Fields that need a memory of ours, or ask for something not done here. */
export const refusedFields = {
  store: refusedField("must be false, because responses are not stored. Send the whole conversation in input"),
  previous_response_id: refusedField("is not supported, because responses are not stored. Send the earlier items in input instead"),
  conversation: refusedField("is not supported, because responses are not stored. Send the earlier items in input instead"),
  background: refusedField("must be false. Stream the answer instead"),
  prompt: refusedField("is not supported, because there are no prompt templates. Send instructions and input instead"),
  top_logprobs: refusedField("is not supported. Remove it", (value) => value === 0),
  moderation: refusedField("is not supported. Remove it"),
};

export const responsesBodySchema = z.object({
  model: z.string().min(1, "must not be empty; GET /api/v1/models lists the models"),
  input: z.union([z.string().min(1, "must not be empty"), z.array(z.unknown()).min(1, "must contain at least one item")], {
    error: ({ input }) => (input === undefined ? "is required: a text or an array of items" : "must be a text or an array of items"),
  }),
  instructions: z.string().nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.object({ format: textFormat.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() }).nullish(),
  reasoning: z
    .object({
      effort: reasoningEffort.nullish(),
      summary: z.enum(["auto", "concise", "detailed", "none"]).nullish(),
    })
    .nullish(),
  include: z.array(z.string()).nullish(),
  max_output_tokens: z.int("must be a whole number").min(1, "must be at least 1").nullish(),
  temperature: between(0, 2).nullish(),
  top_p: between(0, 1).nullish(),
  metadata: z
    .custom<Record<string, string>>(isMetadata, "must be an object with at most 16 strings of up to 512 characters, and keys of up to 64")
    .nullish(),
  stream: z.boolean().nullish(),
  ...refusedFields,
  /** Our own fields, as in POST /api/v1/prompt. */
  maxCost: z.number().positive("must be greater than 0, in USD").nullish(),
  clipToBalance: z.boolean().nullish(),
});

export type ResponsesBody = z.infer<typeof responsesBodySchema>;

export interface ResponsesPrompt extends Prompt {
  /** Whose reasoning is sealed. */
  accountId: AccountId;
  /** The body, of which the response repeats parts. */
  body: ResponsesBody;
  toolNames: ToolNames;
  /** The request's tools, as the response repeats them. */
  toolEcho: object[];
  /** The client will hand reasoning back. */
  wantsEncrypted: boolean;
}

/**
 * Reads the body of a response, a long one in slices.
 * @throws AppError INVALID_REQUEST, INVALID_MODEL
 */
export const readResponses = (request: GatewayRequest, caller: Caller): ResponsesPrompt | Promise<ResponsesPrompt> =>
  runInSlices(readResponsesInSlices(request, caller));

function* readResponsesInSlices(request: GatewayRequest, caller: Caller): Slices<ResponsesPrompt> {
  const given = readJsonBody(request);
  const parsed = isLong(request) ? yield* parseLong(responsesBodySchema, given) : parseGiven(responsesBodySchema, given);
  if (!parsed.success) throw invalidRequest(readIssues(parsed.error, Object.keys(responsesBodySchema.shape)));
  const body = parsed.data;
  const model = readModel(body.model, caller);
  const tools = yield* readResponsesTools(body);
  const images = new ImageReader(request.largeTexts, model);
  const items = yield* readItems(body.input, { accountId: caller.accountId, images, names: tools.names });
  const messages = withInstructions(body, items);
  const limits = readOutputLimits(request, caller, {
    model,
    limit: body.max_output_tokens,
    clipToBalance: body.clipToBalance,
  });
  const issues: Issue[] = [...tools.issues, ...items.issues, ...images.findIssues()];
  refuseLongText({ model, inputField: "input" }, countCharacters(messages));
  // Before other faults: a client may know its code.
  if (items.unreadable.length > 0) throw invalidRequest([...items.unreadable, ...issues], INVALID_ENCRYPTED_CONTENT);
  if (issues.length > 0) throw invalidRequest(issues);
  const dropped = [...new Set([...tools.dropped, ...items.dropped])];
  if (dropped.length > 0) request.replyHeaders["x-dropped-tools"] = dropped.join(", ");
  const wantsEncrypted = body.include?.includes("reasoning.encrypted_content") ?? false;
  const options = Object.assign(readOptions(body, items, wantsEncrypted), tools.options);
  return {
    model,
    messages: images.leaveOut(messages),
    inputField: "input",
    maxOutputTokens: limits.maxOutputTokens,
    minOutputTokens: items.compacts ? leastSummary(limits) : limits.minOutputTokens,
    options: items.compacts ? summarizing(options) : options,
    stream: body.stream ?? false,
    deliversAtEnd: items.compacts,
    maxCost: readMaxCost(body.maxCost ?? undefined),
    said: saidToOpenAI(request, given),
    accountId: caller.accountId,
    body,
    toolNames: tools.names,
    toolEcho: tools.echo,
    wantsEncrypted,
  };
}

const countCharacters = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + contentText(content).length, 0);

function withInstructions({ instructions }: ResponsesBody, { messages, compacts }: ItemReading): ChatMessage[] {
  if (compacts) messages.push(summaryRequest);
  return instructions ? [{ role: "system", content: instructions }, ...messages] : messages;
}

function readOptions(body: ResponsesBody, { updated }: ItemReading, wantsEncrypted: boolean): CallOptions {
  const { temperature, top_p, text, reasoning } = body;
  const summary = readSummary(reasoning);
  const effort = updated.effort ?? reasoning?.effort ?? undefined;
  return {
    temperature: temperature ?? undefined,
    topP: top_p ?? undefined,
    responseFormat: readFormat(updated.format ?? text?.format),
    verbosity: text?.verbosity ?? undefined,
    reasoning:
      effort === undefined && summary === undefined
        ? undefined
        : { mode: effort ? undefined : "default", effort, visible: summary !== undefined },
    reasoningSummary: summary,
    returnsReasoning: wantsEncrypted,
    hidesReasoning: !wantsEncrypted && summary === undefined,
  };
}

export function readSummary(reasoning: ResponsesBody["reasoning"]): CallOptions["reasoningSummary"] {
  const summary = reasoning?.summary ?? "none";
  return summary === "none" ? undefined : summary;
}
