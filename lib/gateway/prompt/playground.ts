// The playground's way in: prompts and quotes of an owner who is signed in, read, limited, held and charged as the API's. Who
// calls is told by the console, which has asked the session; nothing that a client sends names it, and no path of the API leads here.

import { readAgreedLimits } from "@/lib/access/accounts";
import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { type Caller, limit } from "../http/caller";
import { type Endpoint, endpoint, isDraining } from "../http/endpoint";
import { type GatewayReply, type GatewayRequest, type IncomingRequest, openRequest } from "../http/request";
import { placeMoney, runPrompt } from "./pipeline";
import { type Prompt, promptWriter, readPrompt } from "./prompt-body";
import { replyWithQuote } from "./quote-endpoint";

/** All that an owner's browser says to the gateway: of its headers the content type alone. */
export type OwnerRequest = Pick<IncomingRequest, "bodyText" | "bodyProblem" | "signal"> & { contentType: string | undefined };

/** Answers the body of POST /api/v1/prompt, always as a stream, and charges the account. Never throws. */
export function answerForOwner(accountId: AccountId, asked: OwnerRequest): Promise<GatewayReply> {
  const identify = (request: GatewayRequest) => identifyOwner(request, accountId);
  const sell: Endpoint = async (request) => runPrompt(request, { identify, read: readStreamed, place: placeMoney, write: promptWriter });
  return run("playground", sell, asked);
}

/** Prices the same body. Counted apart from prompts: a form that asks while it is filled in takes nothing from the API's rate. */
export function quoteForOwner(accountId: AccountId, asked: OwnerRequest): Promise<GatewayReply> {
  const tell: Endpoint = async (request) => {
    const caller = await identifyOwner(request, accountId);
    await limit(request, { ...caller, limitedAs: `${accountId} quotes` });
    return replyWithQuote(request, caller);
  };
  return run("playground quote", tell, asked);
}

function run(name: string, steps: Endpoint, { contentType, ...asked }: OwnerRequest): Promise<GatewayReply> {
  const request = openRequest({
    ...asked,
    method: "POST",
    path: "/playground",
    query: "",
    headers: { "content-type": contentType },
    remoteAddress: "127.0.0.1",
  });
  return endpoint(name, (opened) => {
    if (isDraining()) throw new AppError("SHUTTING_DOWN");
    return steps(opened);
  })(request);
}

async function identifyOwner(request: GatewayRequest, accountId: AccountId): Promise<Caller> {
  const agreed = await readAgreedLimits(accountId);
  request.facts.accountId = accountId;
  return {
    accountId,
    keyId: null,
    limitedAs: accountId,
    allowedModels: null,
    limits: {
      ratePerMinute: agreed.ratePerMinute ?? config().RATE_LIMIT_PER_MINUTE,
      concurrency: agreed.concurrency ?? config().CONCURRENCY_LIMIT,
    },
    forget: () => undefined,
  };
}

const readStreamed = (request: GatewayRequest, caller: Caller): Prompt => ({ ...readPrompt(request, caller), stream: true });
