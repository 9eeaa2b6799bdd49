// Errors in OpenAI's format, with our code, details and request id inside.

import { type AppError, errorCatalogue } from "@/lib/base/errors";
import type { RequestId } from "@/lib/base/ids";
import { writeJson } from "@/lib/base/json";
import type { Overflow } from "@/lib/providers/refusal/overflow";
import { errorDetails } from "../http/endpoint";
import { readOverflow } from "../prompt/context-overflow";

/**
 * `{error: {message, type, param, code, details, requestId}}`; `param` is the field at fault, where there is one. A prompt that is too long, and
 * encrypted content that is not ours, have OpenAI's own code and words, by which clients know them: Codex and LangChain by the code, opencode,
 * Cline and others by the words.
 */
export function chatErrorBody(error: AppError, requestId: RequestId): string {
  const { issues, reason } = error.details as { issues?: readonly { path: string; message: string }[]; reason?: string };
  const param = error.code === "INVALID_MODEL" ? "model" : issues?.[0]?.path || null;
  const type = errorCatalogue[error.code].openai;
  const overflow = readOverflow(error);
  const unreadable = reason === INVALID_ENCRYPTED_CONTENT ? issues?.[0] : undefined;
  const message = overflow ? overflowWords(overflow) : (unreadable?.message ?? error.message);
  const code = overflow ? CONTEXT_LENGTH_EXCEEDED : unreadable ? INVALID_ENCRYPTED_CONTENT : error.code;
  return writeJson({ error: { message, type, param, code, details: errorDetails(error), requestId } });
}

export const CONTEXT_LENGTH_EXCEEDED = "context_length_exceeded";

/** OpenAI's code for an item of the input that it did not encrypt, or cannot read; the reason of our own error. */
export const INVALID_ENCRYPTED_CONTENT = "invalid_encrypted_content";

/** Chat completions' words where there are numbers, and those of Responses where there are none. */
function overflowWords({ unit, given, output, limit }: Overflow): string {
  if (unit === "bytes") return "Your input is larger than this model's provider accepts. Please reduce the length of the messages.";
  if (limit === undefined) return "Your input exceeds the context window of this model. Please adjust your input and try again.";
  const most = `This model's maximum context length is ${limit} tokens. However, `;
  if (given === undefined) return `${most}your messages resulted in more. Please reduce the length of the messages.`;
  if (output === undefined || given > limit) {
    return `${most}your messages resulted in ${given} tokens. Please reduce the length of the messages.`;
  }
  const shares = `${given} in the messages, ${output} in the completion`;
  return `${most}you requested ${given + output} tokens (${shares}). Please reduce the length of the messages or completion.`;
}
