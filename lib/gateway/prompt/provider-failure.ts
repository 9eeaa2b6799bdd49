// Translates a provider's failure into our own contract. What a provider says of a request that it rejects is told to its caller, without
// what is ours or the provider's own; of any other failure its words go to the log only.

import { AppError } from "@/lib/base/errors";
import type { ProviderFailure } from "@/lib/providers/types";
import { invalidRequest } from "../http/request";
import { contextOverflow } from "./context-overflow";
import type { Prompt } from "./prompt-body";

/** The error that a caller gets when a model's provider failed before anything was delivered; nothing was charged. */
export function providerError(failure: ProviderFailure, prompt: Pick<Prompt, "model" | "inputField">): AppError {
  const { model, inputField } = prompt;
  const context = { failure: failure.kind, provider: failure.message, httpStatus: failure.httpStatus, model: model.id };
  const internal = (message: string, reason: string, retryable: boolean) =>
    new AppError("INTERNAL_ERROR", { message, details: { reason, retryable }, context, cause: failure });
  if (failure.byModel) {
    return internal(
      `${model.id} returned an unreadable answer. Send the request again. You were not charged`,
      "provider_unavailable",
      true,
    );
  }
  switch (failure.kind) {
    case "rejected": {
      if (failure.overflow) return contextOverflow(prompt, failure.overflow);
      const words = failure.told ?? "it may be too long or against its policy";
      return invalidRequest([{ path: inputField, message: `was rejected by ${model.id}'s provider: ${words}` }], "provider_rejected");
    }
    case "timeout":
      return internal(`${model.id} timed out. You were not charged`, "provider_timeout", true);
    case "misconfigured":
      return internal(
        `${model.id} is unavailable, and the operator has been notified. You were not charged`,
        "provider_unavailable",
        false,
      );
    case "aborted":
      return internal("The request was cancelled. You were not charged", "provider_unavailable", true);
    case "unavailable":
      if (failure.busy) return busy(failure, model.id, context);
      return internal(`${model.id} is temporarily unavailable. You were not charged`, "provider_unavailable", true);
    case "malformed":
      return internal(`${model.id} is temporarily unavailable. You were not charged`, "provider_unavailable", true);
  }
}

/** Of a provider that does not say when it can be asked again. */
const UNKNOWN_WAIT_MS = 5_000;

function busy(failure: ProviderFailure, modelId: string, context: AppError["context"]): AppError {
  const seconds = Math.max(1, Math.ceil((failure.retryAfterMs ?? UNKNOWN_WAIT_MS) / 1_000));
  return new AppError("PROVIDER_BUSY", {
    message: `${modelId}'s provider is busy. Try again in ${seconds} s. You were not charged`,
    details: { reason: "provider_busy", retryable: true, retryAfterMs: seconds * 1_000 },
    headers: { "retry-after": String(seconds) },
    context,
    cause: failure,
  });
}
