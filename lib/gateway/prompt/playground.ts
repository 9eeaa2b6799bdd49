// The playground's entry: prompts and quotes of a signed-in owner, read, limited, held and charged like the API's. The console, which has
// checked the session, passes the account; nothing that a client sends names it, and no path of the API leads here.

import { readAgreedLimits } from "@/lib/access/accounts";
import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { conversationWriter, isConversation, readConversation } from "../chat/conversation";
import { type Caller, limit } from "../http/caller";
import { type Endpoint, type EndpointTraits, endpoint, isDraining } from "../http/endpoint";
import { type GatewayReply, type GatewayRequest, type IncomingRequest, invalidRequest, openRequest } from "../http/request";
import { placeMoney, runPrompt } from "./pipeline";
import { type Prompt, promptWriter, readPrompt } from "./prompt-body";
import { replyWithQuote } from "./quote-endpoint";
import { uploadSpace } from "./upload";

/** Everything that an owner's browser sends to the gateway; of its headers only the content type. */
export type OwnerRequest = Pick<IncomingRequest, "readBody" | "signal"> & { contentType: string | undefined };

/** The signed-in owner; without a fresh signature they spend at most gateway_unconfirmed_cap a day. */
export interface SignedInOwner {
  accountId: AccountId;
  isConfirmed: boolean;
}

/** Answers a signed-in owner's request. */
export type OwnerEndpoint = (owner: SignedInOwner, incoming: OwnerRequest) => Promise<GatewayReply>;

/**
 * The reply, or the refusal by which its sender may have it no more: that is asked for once the body has arrived, which may have taken
 * minutes.
 */
export async function answerWhileAdmitted<Refusal>(
  answer: OwnerEndpoint,
  owner: SignedInOwner,
  { readBody, ...incoming }: OwnerRequest,
  findRefusal: () => Promise<Refusal | undefined>,
): Promise<{ reply: GatewayReply; refusal: Refusal | undefined }> {
  let refusal: Refusal | undefined;
  const reply = await answer(owner, {
    ...incoming,
    readBody: async (limitBytes, bounds) => {
      const body = await readBody(limitBytes, bounds);
      refusal = await findRefusal();
      return refusal === undefined ? body : { text: "", problem: "cut_off" };
    },
  });
  return { reply, refusal };
}

/** Answers the body of POST /api/v1/prompt or of a conversation, always as a stream, and charges the account. Never throws. */
export function answerForOwner(owner: SignedInOwner, incoming: OwnerRequest): Promise<GatewayReply> {
  const identify = (request: GatewayRequest) => identifyOwner(request, owner);
  const steps: Endpoint = async (request) =>
    runPrompt(request, { identify, read: readStreamed, place: placeMoney, write: writerOf, openSpace: uploadSpace });
  return run("playground", steps, incoming, { keepsFailures: true });
}

/** Prices the same body. Quotes are limited apart from prompts: a form that quotes while it is filled in does not use up the API's rate. */
export function quoteForOwner(owner: SignedInOwner, incoming: OwnerRequest): Promise<GatewayReply> {
  const steps: Endpoint = async (request) => {
    const caller = await identifyOwner(request, owner);
    await limit(request, { ...caller, limitedAs: `${owner.accountId} quotes` });
    return replyWithQuote(request, caller, { read: readOwners, openSpace: uploadSpace(request, caller) });
  };
  return run("playground quote", steps, incoming);
}

function run(
  name: string,
  steps: Endpoint,
  { contentType, ...incoming }: OwnerRequest,
  traits: EndpointTraits = {},
): Promise<GatewayReply> {
  const request = openRequest({
    ...incoming,
    method: "POST",
    path: "/playground",
    query: "",
    headers: { "content-type": contentType },
    remoteAddress: "127.0.0.1",
  });
  const runOpen = (opened: GatewayRequest) => {
    if (isDraining()) throw new AppError("SHUTTING_DOWN");
    requireJsonType(contentType);
    return steps(opened);
  };
  return endpoint(name, runOpen, traits)(request);
}

/** A page of another site may send any other type with the owner's cookies, without asking first. */
function requireJsonType(contentType: string | undefined): void {
  if (contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType)) return;
  throw invalidRequest([{ path: "", message: "Send the header Content-Type: application/json" }], "content_type");
}

async function identifyOwner(request: GatewayRequest, { accountId, isConfirmed }: SignedInOwner): Promise<Caller> {
  const agreed = await readAgreedLimits(accountId);
  request.facts.accountId = accountId;
  return {
    accountId,
    keyId: null,
    isUnconfirmed: !isConfirmed,
    limitedAs: accountId,
    allowedModels: null,
    clipMinTokens: null,
    scopes: ["prompt"],
    limits: {
      ratePerMinute: agreed.ratePerMinute ?? config().RATE_LIMIT_PER_MINUTE,
      concurrency: agreed.concurrency ?? config().CONCURRENCY_LIMIT,
    },
    forget: () => undefined,
  };
}

const readOwners = (request: GatewayRequest, caller: Caller): Prompt | Promise<Prompt> =>
  isConversation(request) ? readConversation(request, caller) : readPrompt(request, caller);

const readStreamed = async (request: GatewayRequest, caller: Caller): Promise<Prompt> => ({
  ...(await readOwners(request, caller)),
  stream: true,
});

const writerOf: typeof promptWriter = (request, prompt, payment) =>
  prompt.inputField === "messages" ? conversationWriter(request, prompt, payment) : promptWriter(request, prompt, payment);
