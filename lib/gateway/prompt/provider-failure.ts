// Translates a provider's failure into our own contract. A provider's words on a request that it rejects are told to the caller, without
// our or its own details; its words on any other failure go to the log only.

import { AppError } from "@/lib/base/errors";
import type { ProviderFailure, ProviderFailureKind } from "@/lib/providers/types";
import { invalidRequest } from "../http/request";
import { contextOverflow } from "./context-overflow";
import type { Prompt } from "./prompt-body";

interface FailureRow {
  /** The message for the model of this ID, when nothing was delivered yet. */
  says: (modelId: string) => string;
  /** `details.reason`, also of a stream that breaks off. */
  reason: "provider_timeout" | "provider_unavailable";
  /** Whether the same request may succeed. */
  retryable: boolean;
}

const isDown = (modelId: string) => `${modelId} is temporarily unavailable`;

/** The answer to callers for each failure that is not about their own request. */
const failureRows: Readonly<Record<Exclude<ProviderFailureKind, "rejected"> | "unreadable", FailureRow>> = {
  unavailable: { says: isDown, reason: "provider_unavailable", retryable: true },
  malformed: { says: isDown, reason: "provider_unavailable", retryable: true },
  timeout: { says: (modelId) => `${modelId} timed out`, reason: "provider_timeout", retryable: true },
  aborted: { says: () => "The request was cancelled", reason: "provider_unavailable", retryable: true },
  misconfigured: {
    says: (modelId) => `${modelId} is unavailable, and the operator has been notified`,
    reason: "provider_unavailable",
    retryable: false,
  },
  // The model's fault, not its provider's.
  unreadable: {
    says: (modelId) => `${modelId} returned an unreadable answer. Send the request again`,
    reason: "provider_unavailable",
    retryable: true,
  },
};

const rowOf = ({ kind, byModel }: ProviderFailure): FailureRow => failureRows[byModel || kind === "rejected" ? "unreadable" : kind];

/** `details.reason` of a stream that broke off. */
export const brokenReason = (failure: ProviderFailure): FailureRow["reason"] => rowOf(failure).reason;

/** The error that a caller gets when a model's provider failed before anything was delivered; nothing was charged. */
export function providerError(failure: ProviderFailure, prompt: Pick<Prompt, "model" | "inputField">): AppError {
  const { model, inputField } = prompt;
  const context = { failure: failure.kind, provider: failure.message, httpStatus: failure.httpStatus, model: model.id };
  if (failure.kind === "rejected" && !failure.byModel) {
    if (failure.overflow) return contextOverflow(prompt, failure.overflow);
    const words = failure.told ?? "it may be too long or against its policy";
    return invalidRequest([{ path: inputField, message: `was rejected by ${model.id}'s provider: ${words}` }], "provider_rejected");
  }
  if (failure.busy && !failure.byModel) return busy(failure, model.id, context);
  const { says, reason, retryable } = rowOf(failure);
  return new AppError("INTERNAL_ERROR", {
    message: `${says(model.id)}. You were not charged`,
    details: { reason, retryable },
    context,
    cause: failure,
  });
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
