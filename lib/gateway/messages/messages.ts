// POST /api/v1/messages: the same as POST /api/v1/prompt in Anthropic's format, so that its client and Claude Code only need another base
// URL and key. POST /api/v1/messages/count_tokens: what the input would count, relayed to Anthropic for its models, and estimated for others.

import { writeJson } from "@/lib/base/json";
import { countInputTokens } from "@/lib/providers/count-tokens";
import { isProviderFailure } from "@/lib/providers/types";
import { authenticate, limit } from "../http/caller";
import { type Endpoint, type EndpointTraits, endpoint, jsonReply } from "../http/endpoint";
import type { TokenCount } from "../openapi/answers/messages";
import { estimateInput } from "../prompt/estimate";
import { placeMoney, runPrompt } from "../prompt/pipeline";
import { providerError } from "../prompt/provider-failure";
import { uploadSpace } from "../prompt/upload";
import { readCountInput, readMessagesPrompt } from "./body";
import { messagesErrorBody, messagesStatus } from "./errors";
import { messagesWriter } from "./writer";

/** How this dialect writes errors. */
export const messagesTraits: EndpointTraits = { writeError: messagesErrorBody, statusOf: messagesStatus };

/** Anthropic's clients read the request's id from a header of this name. */
const named =
  (steps: Endpoint): Endpoint =>
  (request) => {
    request.replyHeaders["request-id"] = request.id;
    return steps(request);
  };

export const createMessage = endpoint(
  "messages",
  named((request) =>
    runPrompt(request, {
      identify: authenticate,
      read: readMessagesPrompt,
      place: placeMoney,
      write: messagesWriter,
      openSpace: uploadSpace,
    }),
  ),
  { ...messagesTraits, keepsFailures: true },
);

/** Costs nothing, and is limited like any other request. */
export const countTokens = endpoint(
  "messages/count_tokens",
  named(async (request) => {
    const caller = await authenticate(request);
    await limit(request, caller);
    await request.loadBody(uploadSpace(request, caller));
    const { model, messages, options } = await readCountInput(request, caller);
    request.facts.model = model.id;
    try {
      const counted = await countInputTokens(model, { messages, ...options }, request.signal);
      const body: TokenCount =
        counted === null
          ? { input_tokens: await estimateInput({ model, messages, options }, caller.accountId), estimated: true }
          : { input_tokens: counted };
      return jsonReply(request, 200, writeJson(body));
    } catch (error) {
      throw isProviderFailure(error) ? providerError(error, { model, inputField: "messages" }) : error;
    }
  }),
  messagesTraits,
);
