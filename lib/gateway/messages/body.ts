// The body of POST /api/v1/messages: Anthropic's own, as its client and Claude Code send it. The call to a provider is written anew from
// the fields below, so nothing else of a body or of its `anthropic-beta` header reaches one (decision 0030).

import { z } from "zod";
import { AppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { runInSlices, type Slices } from "@/lib/base/slices";
import { type CacheLifetime, type ChatMessage, type Content, contentText } from "@/lib/providers/conversation/messages";
import type { CallOptions, Model } from "@/lib/providers/types";
import { isRecord } from "@/lib/providers/wire-value";
import type { Caller } from "../http/caller";
import { between } from "../http/dialect-fields";
import { isLong, itemWithFewFaults, parseLong } from "../http/few-faults";
import { jsonObject } from "../http/json-object";
import type { GatewayRequest } from "../http/request";
import { type Issue, invalidRequest, parseGiven, readIssues, readJsonBody } from "../http/request";
import { saidToAnthropic } from "../http/said";
import { ImageReader } from "../prompt/images";
import { cacheMark, lifetimeOf } from "../prompt/parts";
import { type Prompt, readMaxCost, readModel, readOutputLimits, refuseLongText } from "../prompt/prompt-body";
import { ToolNames } from "../prompt/tool-calls/names";
import { blocksOf, definedLater, message, readMessages, systemField, textContent } from "./blocks";
import { readTools, toolFields } from "./tools";

const tokens = z.int("must be a whole number").min(1, "must be at least 1");

const effort = z.enum(["low", "medium", "high", "xhigh", "max"], "must be low, medium, high, xhigh or max").nullish();

const inputFields = {
  model: z.string().min(1, "must not be empty; GET /api/v1/models lists the models"),
  messages: z.array(message).min(1, "must contain at least one message"),
  system: systemField.nullish(),
  ...toolFields,
  thinking: z
    .object({
      type: z.enum(["enabled", "adaptive", "disabled", "between_tools"], "must be enabled, adaptive or disabled"),
      budget_tokens: tokens.nullish(),
      display: z.string().nullish(),
    })
    .nullish(),
  output_config: z
    .object({ effort, format: z.object({ type: z.literal("json_schema", "must be json_schema"), schema: jsonObject }).nullish() })
    .nullish(),
  /** The form before `output_config.format`. */
  output_format: z.object({ type: z.literal("json_schema", "must be json_schema"), schema: jsonObject }).nullish(),
  /** Marks the last block of the conversation. */
  cache_control: cacheMark,
  thread: z.unknown().optional(),
};

export const countBodySchema = z.object(inputFields);

export const messagesBodySchema = z.object({
  ...inputFields,
  max_tokens: tokens,
  temperature: between(0, 1).nullish(),
  top_p: between(0, 1).nullish(),
  top_k: z.int("must be a whole number").min(0, "must be at least 0").nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  /** Our own fields, as in POST /api/v1/prompt. */
  maxCost: z.number().positive("must be greater than 0, in USD").nullish(),
  clipToBalance: z.boolean().nullish(),
});

type InputBody = z.infer<typeof countBodySchema>;

/**
 * Fields of the wire that are not read, and why. No other unknown field is read either; these would cost more than a request says, or call
 * another model.
 */
export const removedFields = {
  service_tier: "buys priority",
  speed: "buys a faster model at a premium",
  fallbacks: "calls other models",
  container: "runs code at Anthropic, which bills for it",
  mcp_servers: "calls servers from Anthropic",
  context_management: "edits the conversation at Anthropic, with further calls",
  inference_geo: "buys a place at a premium",
  metadata: "names your user to a provider",
} as const;

/** A prompt in Anthropic's form. */
export interface MessagesPrompt extends Prompt {
  accountId: AccountId;
  /** How its tools are called; undefined where that is by their own names. */
  toolNames?: ToolNames | undefined;
}

/**
 * Reads the body of a message, a long one in slices.
 * @throws AppError INVALID_REQUEST, INVALID_MODEL
 */
export const readMessagesPrompt = (request: GatewayRequest, caller: Caller): MessagesPrompt | Promise<MessagesPrompt> =>
  runInSlices(readPromptInSlices(request, caller));

function* readPromptInSlices(request: GatewayRequest, caller: Caller): Slices<MessagesPrompt> {
  const given = readJsonBody(request);
  const body = yield* parseBody(request, given, messagesBodySchema);
  const model = readModel(body.model, caller);
  const issues: Issue[] = [];
  const { messages, options, toolNames } = yield* readInput(request, body, { model, accountId: caller.accountId, issues });
  const stop = body.stop_sequences ?? [];
  if (stop.length > MAX_STOPS && model.routes.some(({ provider }) => provider !== "anthropic")) {
    issues.push({ path: "stop_sequences", message: `must have at most ${MAX_STOPS} items for ${model.id}` });
  }
  if (issues.length > 0) throw invalidRequest(issues);
  options.temperature = body.temperature ?? undefined;
  options.topP = body.top_p ?? undefined;
  options.topK = body.top_k ?? undefined;
  options.stop = stop.length > 0 ? stop : undefined;
  const { maxOutputTokens, minOutputTokens } = readOutputLimits(request, caller, {
    model,
    limit: body.max_tokens,
    clipToBalance: body.clipToBalance,
  });
  return {
    model,
    messages,
    accountId: caller.accountId,
    toolNames,
    inputField: "messages",
    maxOutputTokens,
    minOutputTokens,
    options,
    stream: body.stream ?? false,
    maxCost: readMaxCost(body.maxCost ?? undefined),
    said: saidToAnthropic(request, given),
  };
}

/** OpenAI takes no more. */
const MAX_STOPS = 4;

/** The part of a request that a count of tokens needs. */
export interface MessagesInput {
  toolNames?: ToolNames | undefined;
  model: Model;
  messages: readonly ChatMessage[];
  options: CallOptions;
}

/**
 * Reads the body of a count, a long one in slices.
 * @throws AppError INVALID_REQUEST, INVALID_MODEL
 */
export const readCountInput = (request: GatewayRequest, caller: Caller): MessagesInput | Promise<MessagesInput> =>
  runInSlices(readCountInSlices(request, caller));

function* readCountInSlices(request: GatewayRequest, caller: Caller): Slices<MessagesInput> {
  const body = yield* parseBody(request, readJsonBody(request), countBodySchema);
  const issues: Issue[] = [];
  const input = yield* readInput(request, body, { model: readModel(body.model, caller), accountId: caller.accountId, issues });
  if (issues.length > 0) throw invalidRequest(issues);
  return input;
}

function* parseBody<Schema extends z.ZodObject>(request: GatewayRequest, given: unknown, schema: Schema): Slices<z.output<Schema>> {
  const parsed = isLong(request) ? yield* parseLong(schema, given) : parseGiven(schema, given);
  if (parsed.success) return parsed.data;
  const issues = readIssues(parsed.error, Object.keys(schema.shape));
  throw invalidRequest(issues.map((issue) => closerIssue(given, issue)));
}

/** A message whose content is an array: its first block at fault, in place of a word on the whole. */
function closerIssue(body: unknown, issue: Issue): Issue {
  const [, index] = /^messages\.(\d+)\.content$/.exec(issue.path) ?? [];
  const messages = isRecord(body) && Array.isArray(body.messages) ? body.messages : [];
  const given: unknown = messages[Number(index)];
  if (!isRecord(given) || !Array.isArray(given.content)) return issue;
  const block = blocksOf[String(given.role)];
  for (const [at, item] of given.content.entries()) {
    const parsed = block && parseGiven(block, itemWithFewFaults(block, item));
    const [found] = parsed && !parsed.success ? readIssues(parsed.error, []) : [];
    if (!found) continue;
    const path = [issue.path, at, found.path].filter((part) => part !== "").join(".");
    return { path, message: found.message === "Invalid input" ? `is not supported: it ${issue.message}` : found.message };
  }
  return issue;
}

interface Reading {
  model: Model;
  accountId: AccountId;
  issues: Issue[];
}

function* readInput(request: GatewayRequest, body: InputBody, { model, accountId, issues }: Reading): Slices<MessagesInput> {
  refuseThread(body);
  const system = body.system ? textContent(body.system) : "";
  const images = new ImageReader(request.largeTexts, model);
  const toolNames = model.routes.every(({ provider }) => provider === "anthropic") ? undefined : new ToolNames();
  const { options: tools, dropped } = readTools(
    { ...body, tools: [...(body.tools ?? []), ...definedLater(body.messages)] },
    toolNames,
    issues,
  );
  const read = yield* readMessages(body.messages, { accountId, issues, images, toolNames });
  issues.push(...images.findIssues());
  const conversation = images.leaveOut(read);
  const messages: ChatMessage[] = system.length > 0 ? [{ role: "system", content: system }, ...conversation] : conversation;
  const marked = markLast(messages, body);
  if (dropped.length > 0) request.replyHeaders["x-dropped-tools"] = dropped.map((name) => name.replace(/[^\w.-]/g, "_")).join(", ");
  const characters = marked.reduce((sum, { content }) => sum + contentText(content).length, 0);
  refuseLongText({ model, inputField: "messages" }, characters);
  const marks = countMarks(marked, tools);
  if (marks > MAX_MARKS) issues.push({ path: "cache_control", message: `can be set on at most ${MAX_MARKS} blocks, not on ${marks}` });
  const { reasoning, reasoningSummary } = readReasoning(body);
  // A client of this dialect always sends thoughts back.
  const options: CallOptions = { reasoning, reasoningSummary, responseFormat: readFormat(body), returnsReasoning: true };
  return { model, toolNames, messages: marked, options: Object.assign(options, tools) };
}

/** The request's own mark: on its last message. */
function markLast(messages: readonly ChatMessage[], { cache_control }: InputBody): readonly ChatMessage[] {
  const cache = lifetimeOf(cache_control);
  const last = messages.at(-1);
  if (!cache || !last) return messages;
  const parts = typeof last.content === "string" ? [{ type: "text" as const, text: last.content }] : last.content;
  const end = parts.at(-1);
  if (!end || end.cache) return messages;
  const content: Content = [...parts.slice(0, -1), { ...end, cache }];
  return [...messages.slice(0, -1), { ...last, content }];
}

/** "A maximum of 4 blocks with cache_control may be provided." */
const MAX_MARKS = 4;

function countMarks(messages: readonly ChatMessage[], { tools = [] }: CallOptions): number {
  const isMarked = ({ cache }: { cache?: CacheLifetime | undefined }): boolean => cache !== undefined;
  let marks = tools.filter(isMarked).length;
  for (const one of messages) {
    if (typeof one.content !== "string") marks += one.content.filter(isMarked).length;
    if (one.role === "assistant" && one.toolCalls) marks += one.toolCalls.filter(isMarked).length;
  }
  return marks;
}

function readReasoning({ thinking, output_config }: InputBody): Pick<CallOptions, "reasoning" | "reasoningSummary"> {
  const wanted = output_config?.effort ?? undefined;
  if (!thinking) return { reasoning: wanted && { mode: "default", effort: wanted } };
  const mode = thinking.type === "enabled" || thinking.type === "adaptive" ? "on" : "off";
  const visible = thinking.display === "summarized" ? true : thinking.display === "omitted" ? false : undefined;
  return {
    reasoning: { mode, effort: wanted, budgetTokens: thinking.budget_tokens ?? undefined, visible },
    reasoningSummary: mode === "on" && visible !== false ? "auto" : undefined,
  };
}

function readFormat({ output_config, output_format }: InputBody): CallOptions["responseFormat"] {
  const format = output_config?.format ?? output_format;
  return format ? { type: "json_schema", name: "answer", schema: format.schema } : undefined;
}

/** Nothing of a conversation is kept here. The SDK's threads go on with whole conversations after this `error_code`. */
function refuseThread({ thread }: InputBody): void {
  if (thread === undefined || thread === null) return;
  const cure = "is not supported, because conversations are not stored. Send the whole conversation instead";
  throw new AppError("INVALID_REQUEST", {
    message: `thread: ${cure}`,
    details: { error_code: "thread_unsupported_request", issues: [{ path: "thread", message: cure }] },
  });
}
