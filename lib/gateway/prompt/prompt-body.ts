// The bodies of POST /api/v1/prompt: the request's, with the schema that validates it and errors that name the field and the fix, and the
// answer's.

import { z } from "zod";
import { AppError } from "@/lib/base/errors";
import { writeJson } from "@/lib/base/json";
import { type NanoUsd, nanoUsd, parseUsd, usdText } from "@/lib/base/money";
import { runInSlices, type Slices } from "@/lib/base/slices";
import type { Said } from "@/lib/ledger/commit/codec";
import { findModel, findRetired, supportedModelNames } from "@/lib/providers/catalogue";
import type { ChatMessage } from "@/lib/providers/conversation/messages";
import type { CallOptions, Model, TokenUsage } from "@/lib/providers/types";
import type { Buyer } from "../http/caller";
import { errorBody } from "../http/endpoint";
import { parseLong } from "../http/few-faults";
import { nearestModel } from "../http/nearest-name";
import { type GatewayRequest, type Issue, invalidRequest, parseGiven, readIssues, readJsonBody } from "../http/request";
import type { PaymentFacts } from "../proof/facts";
import { paymentBody } from "../proof/payment-body";
import type { OutputPiece, PricedCompletion } from "./completion";
import { contextOverflow } from "./context-overflow";

export const promptBodySchema = z.strictObject({
  model: z.string().min(1, "must not be empty; GET /api/v1/models lists the models"),
  prompt: z.string().min(1, "must not be empty"),
  payment: z.unknown().optional(),
  system: z.string().optional(),
  maxTokens: z.int("must be a whole number").min(1, "must be at least 1").optional(),
  temperature: z.number().min(0, "must be from 0 to 2").max(2, "must be from 0 to 2").optional(),
  stream: z.boolean().optional(),
  maxCost: z.number().positive("must be greater than 0, in USD").optional(),
  clipToBalance: z.boolean().optional(),
});

/** A caller's prompt, checked and with its defaults filled in. */
export interface Prompt {
  model: Model;
  messages: readonly ChatMessage[];
  /** The field of the body that the messages came from. */
  inputField: "prompt" | "messages" | "input";
  maxOutputTokens: number;
  /** How far the output limit may be lowered to fit the balance, the key's cap and maxCost; undefined: not at all. */
  minOutputTokens?: number | undefined;
  /** The output limit, when it was lowered. */
  clippedTo?: number;
  options: CallOptions;
  stream: boolean;
  /** Its stream tells the client nothing before its last events: a stream that breaks off has delivered nothing. */
  deliversAtEnd?: boolean;
  maxCost: NanoUsd | undefined;
  /** The caller's remarks about it, for its charge; absent where a body has no place for that. */
  said?: Said;
  /** The payment object as it was sent; undefined without one. It is read once the price is known. */
  payment?: unknown;
}

type Who = Pick<Buyer, "allowedModels" | "clipMinTokens">;

/**
 * Reads the body of POST /api/v1/prompt, a long one in slices.
 * @throws AppError INVALID_REQUEST, INVALID_MODEL
 */
export const readPrompt = (request: GatewayRequest, caller: Who): Prompt | Promise<Prompt> =>
  runInSlices(readPromptInSlices(request, caller));

function* readPromptInSlices(request: GatewayRequest, caller: Who): Slices<Prompt> {
  const isLong = request.longJson !== undefined;
  const given = readJsonBody(request);
  const parsed = isLong ? yield* parseLong(promptBodySchema, given) : parseGiven(promptBodySchema, given);
  if (!parsed.success) throw invalidRequest(readIssues(parsed.error, Object.keys(promptBodySchema.shape)));
  const body = parsed.data;
  const model = readModel(body.model, caller);
  const issues: Issue[] = [];
  if (body.maxTokens !== undefined && body.maxTokens > model.maxOutputTokens) {
    issues.push({ path: "maxTokens", message: `must be at most ${model.maxOutputTokens} for ${model.id}` });
  }
  if (issues.length > 0) throw invalidRequest(issues);
  refuseLongText({ model, inputField: "prompt" }, body.prompt.length);
  const messages: ChatMessage[] = [{ role: "user", content: body.prompt }];
  if (body.system) messages.unshift({ role: "system", content: body.system });
  const maxOutputTokens = body.maxTokens ?? Math.min(model.defaultMaxTokens, model.maxOutputTokens);
  return {
    model,
    messages,
    inputField: "prompt",
    maxOutputTokens,
    minOutputTokens: readMinOutputTokens(request, caller, { clipToBalance: body.clipToBalance, limit: maxOutputTokens }),
    // A prompt has no later turns that could read what it writes to a cache.
    options: { temperature: body.temperature, caching: "off", hidesReasoning: true },
    stream: body.stream ?? false,
    maxCost: readMaxCost(body.maxCost),
    payment: body.payment,
  };
}

/** @throws AppError INVALID_MODEL when there is no such model, or the caller may not use it */
export function readModel(name: string, caller: Pick<Buyer, "allowedModels">): Model {
  const model = findModel(name);
  const allowed = caller.allowedModels;
  if (model?.type === "embedding") throw noPrompts(model.id);
  if (model && (!allowed || allowed.includes(model.id))) return model;
  const supportedModels = supportedModelNames().filter((id) => !allowed || allowed.includes(id));
  if (model) throw invalidModel(`This API key is not allowed to use the model ${model.id}`, name, supportedModels);
  throw unknownModel(name, supportedModels, "details.supportedModels lists the supported models");
}

/** The longest token of the public vocabularies is 128 spaces, so a token never covers more characters than that. */
const MAX_CHARACTERS_PER_TOKEN = 128;

/**
 * Of a text while its body is read: by its length alone.
 * @throws AppError INVALID_REQUEST
 */
export function refuseLongText(where: Pick<Prompt, "model" | "inputField">, characters: number): void {
  const given = Math.ceil(characters / MAX_CHARACTERS_PER_TOKEN);
  const limit = where.model.contextWindow;
  if (given > limit) throw contextOverflow(where, { unit: "tokens", given, limit });
}

const invalidModel = (message: string, name: string, supportedModels: readonly string[], retired?: RetiredDetails): AppError =>
  new AppError("INVALID_MODEL", { message, details: { model: name.slice(0, 100), supportedModels, ...retired } });

type RetiredDetails = { retiredOn: string; successor?: string | undefined };

/** The refusal of an unknown model name; for a retired model it says since when, and what to use instead. */
export function unknownModel(name: string, supportedModels: readonly string[], hint: string): AppError {
  const retired = findRetired(name);
  const nearest = retired ? undefined : nearestModel(name, supportedModels);
  const meant = nearest === undefined ? "" : `Did you mean ${nearest}? `;
  if (!retired) return invalidModel(`Unknown model "${name.slice(0, 100)}". ${meant}${hint}`, name, supportedModels);
  const { id, on, successor } = retired;
  const details = { retiredOn: on, ...(successor !== undefined && { successor }) };
  return invalidModel(`${id} retired on ${on}. ${successor ? `Use ${successor} instead` : hint}`, name, supportedModels, details);
}

/** The least that a clip leaves, unless the key has a minimum of its own. */
export const MIN_CLIPPED_TOKENS = 256;

/**
 * Down to how many tokens the output limit may be lowered; undefined: not at all. Decided by the body's field, else the header
 * X-Clip-To-Balance, else the key's setting; a limit that the client did not name may always be lowered where `isDefault` is true.
 * @throws AppError INVALID_REQUEST for a header that is neither true nor false
 */
function readMinOutputTokens(
  { headers }: GatewayRequest,
  { clipMinTokens }: Pick<Buyer, "clipMinTokens">,
  { clipToBalance, isDefault = false, limit }: { clipToBalance: boolean | null | undefined; isDefault?: boolean; limit: number },
): number | undefined {
  const header = headers["x-clip-to-balance"]?.toLowerCase();
  if (header !== undefined && header !== "true" && header !== "false") {
    throw invalidRequest([{ path: "X-Clip-To-Balance", message: "must be true or false" }]);
  }
  const isClipped = clipToBalance ?? (header === undefined ? clipMinTokens !== null : header === "true");
  return isClipped || isDefault ? Math.min(clipMinTokens ?? MIN_CLIPPED_TOKENS, limit) : undefined;
}

/** The output limit that clients of OpenAI and Anthropic expect when they name none: enough for a whole answer. */
const UNNAMED_OUTPUT_TOKENS = 16_384;

/**
 * The output limits of a request in a vendor's dialect. A limit above the model's maximum means the maximum, and the answer says so: agents
 * ask every model for the same. An unnamed limit is clipped until it fits, so that it never causes a 402 while the minimum fits.
 */
export function readOutputLimits(
  request: GatewayRequest,
  caller: Pick<Buyer, "clipMinTokens">,
  { model, limit, clipToBalance }: { model: Model; limit: number | null | undefined; clipToBalance?: boolean | null | undefined },
): Pick<Prompt, "maxOutputTokens" | "minOutputTokens"> {
  const isDefault = limit === null || limit === undefined;
  const maxOutputTokens = Math.min(limit ?? UNNAMED_OUTPUT_TOKENS, model.maxOutputTokens);
  if (!isDefault && limit > maxOutputTokens) request.replyHeaders["x-clipped-to"] = String(maxOutputTokens);
  return { maxOutputTokens, minOutputTokens: readMinOutputTokens(request, caller, { clipToBalance, isDefault, limit: maxOutputTokens }) };
}

const noPrompts = (id: string): AppError =>
  invalidModel(`${id} does not answer prompts. Send texts to POST /api/v1/embeddings, or choose another model`, id, supportedModelNames());

/** @throws AppError INVALID_REQUEST when it is finer than a nano-USD or more than the ledger holds */
export function readMaxCost(maxCost: number | undefined): NanoUsd | undefined {
  if (maxCost === undefined) return undefined;
  try {
    return parseUsd(String(maxCost));
  } catch (error) {
    const message = error instanceof RangeError ? error.message : "must be an amount of USD";
    throw invalidRequest([{ path: "maxCost", message }]);
  }
}

/** How an endpoint writes its answers: in the specification's own format, or in OpenAI's. A writer serves one request. */
export interface ReplyWriter {
  /** The body of a whole answer. */
  whole(priced: PricedCompletion): string;
  /** The beginning of a stream; `counted` is what its provider had counted before the first token, where it counts that early. */
  opening(counted?: TokenUsage): string;
  piece(piece: OutputPiece): string;
  /** The end of a complete stream, after its last piece. */
  done(priced: PricedCompletion): string;
  /** The last event of a stream that did not complete. */
  failed(error: AppError): string;
  /** The text that keeps an idle stream open; absent: a comment line. */
  keepAlive?: string;
}

/** One server-sent event; `json` has no line breaks. */
const writeEvent = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;

/**
 * Writes answers to `request`, field by field and in the specification's order, whole or as server-sent events. A prompt cannot name tools,
 * so its pieces are all text.
 */
export function promptWriter(request: GatewayRequest, { model, clippedTo }: Prompt, payment: PaymentFacts | null = null): ReplyWriter {
  const whole = ({ completion, inputCost, outputCost }: PricedCompletion): string => {
    const { inputTokens, outputTokens } = completion.usage;
    const paid = payment === null ? "" : `,"payment":${writeJson(paymentBody(payment, nanoUsd(inputCost + outputCost)))}`;
    const clipped = clippedTo === undefined ? "" : `,"clippedTo":${clippedTo}`;
    return (
      `{"success":true,"text":${JSON.stringify(completion.output.text)},"model":${JSON.stringify(model.id)},` +
      `"usage":{"inputTokens":${inputTokens},"outputTokens":${outputTokens},"totalTokens":${inputTokens + outputTokens}},` +
      `"cost":{"inputCost":${usdText(inputCost)},"outputCost":${usdText(outputCost)},"totalCost":${usdText(inputCost + outputCost)}},` +
      `"requestId":"${request.id}"${clipped}${paid}}`
    );
  };
  return {
    whole,
    opening: () => "",
    piece: (piece) => (piece.type === "text" ? writeEvent("delta", JSON.stringify({ text: piece.text })) : ""),
    done: (priced) => writeEvent("done", whole(priced)),
    failed: (error) => writeEvent("error", errorBody(error, request.id)),
  };
}
