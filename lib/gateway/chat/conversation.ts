// A conversation of the playground: the body of POST /api/v1/chat/completions, with the `payment` of POST /api/v1/prompt, answered in the
// events of the specification. Thoughts, tool calls and the reason of the end have events of their own, which come before `done`.

import { isRecord } from "@/lib/providers/wire-value";
import type { Caller } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import type { OutputPiece } from "../prompt/completion";
import { type Prompt, promptWriter, type ReplyWriter } from "../prompt/prompt-body";
import type { PaymentFacts } from "../proof/facts";
import { type ChatPrompt, readChat } from "./body";

/**
 * Reads the body of a conversation.
 * @throws AppError INVALID_REQUEST, INVALID_MODEL
 */
export async function readConversation(request: GatewayRequest, caller: Caller): Promise<ChatPrompt> {
  const payment = peek(request)?.payment;
  const prompt = await readChat(request, caller);
  const { reasoning } = prompt.options;
  return {
    ...prompt,
    payment,
    options: {
      ...prompt.options,
      hidesReasoning: false,
      // Told in words only where an effort was chosen: OpenAI refuses summaries to organisations that it has not verified.
      reasoning: reasoning && { ...reasoning, visible: true },
    },
  };
}

/** True for the body of a conversation; false for that of POST /api/v1/prompt. */
export const isConversation = (request: GatewayRequest): boolean => peek(request)?.messages !== undefined;

/** The body, if it is a JSON object; a long one stays where its reader takes it. */
function peek({ longJson, bodyText }: GatewayRequest): Record<string, unknown> | undefined {
  if (longJson) return "value" in longJson && isRecord(longJson.value) ? longJson.value : undefined;
  try {
    const value: unknown = JSON.parse(bodyText);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // its reader names the problem
  }
}

/** The events of POST /api/v1/prompt, and those that only a conversation has. */
export function conversationWriter(request: GatewayRequest, prompt: Prompt, payment: PaymentFacts | null = null): ReplyWriter {
  const writer = promptWriter(request, prompt, payment);
  return {
    ...writer,
    piece: (piece) => (piece.type === "text" ? writer.piece(piece) : writePiece(piece)),
    done: (priced) => {
      const { finish } = priced.completion.output;
      const { reasoningTokens } = priced.completion.usage;
      return writeEvent("finish", { reason: finish ?? "other", reasoningTokens }) + writer.done(priced);
    },
  };
}

function writePiece(piece: Exclude<OutputPiece, { type: "text" }>): string {
  if (piece.type === "reasoning") return piece.text === "" ? "" : writeEvent("reasoning", { text: piece.text });
  const { index, id, name, arguments: given } = piece;
  return writeEvent("tool_call", { index, id, name, arguments: given });
}

const writeEvent = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
