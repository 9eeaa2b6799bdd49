// A conversation as Gemini's contents: function calls are parts of the model's turn, and their results are the user's next.
// Documented at https://ai.google.dev/gemini-api/docs/function-calling and https://ai.google.dev/api/caching#FunctionResponse.

import type { ChatMessage } from "../types";
import { readJsonObject } from "../wire-value";
import { isSinceGemini3, noThoughtSignature, splitCallId } from "./call-id";

type Part =
  | { text: string }
  | { functionCall: { id: string; name: string; args: Record<string, unknown> }; thoughtSignature?: string }
  | { functionResponse: { id: string; name: string; response: Record<string, unknown> } };

interface Content {
  role: "user" | "model";
  parts: Part[];
}

/** All messages but the system's, which have no place among the contents. */
export function geminiContents(messages: readonly ChatMessage[], wireName: string): Content[] {
  const signsCalls = isSinceGemini3(wireName);
  const functionNames = new Map<string, string>();
  const contents: Content[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "system":
        break;
      case "user":
        contents.push({ role: "user", parts: [{ text: message.content }] });
        break;
      case "assistant":
        for (const { id, name } of message.toolCalls ?? []) functionNames.set(id, name);
        contents.push({ role: "model", parts: modelParts(message, signsCalls) });
        break;
      case "tool":
        addFunctionResponse(contents, message, functionNames.get(message.toolCallId));
        break;
    }
  }
  return contents;
}

function modelParts({ content, toolCalls = [] }: ChatMessage & { role: "assistant" }, signsCalls: boolean): Part[] {
  const calls = toolCalls.map((call, index) => {
    const { id, thoughtSignature } = splitCallId(call.id);
    // Of calls made together only the first is signed, and only its signature is asked for.
    const signature = thoughtSignature ?? (index === 0 ? noThoughtSignature : undefined);
    return {
      functionCall: { id, name: call.name, args: readJsonObject(call.arguments) ?? unreadableArguments(call.arguments) },
      thoughtSignature: signsCalls ? signature : undefined,
    };
  });
  return content === "" && calls.length > 0 ? calls : [{ text: content }, ...calls];
}

/** Results in a row are one turn: a turn of calls must be followed by one that answers them all, and holds nothing else. */
function addFunctionResponse(contents: Content[], message: ChatMessage & { role: "tool" }, name: string | undefined): void {
  const part: Part = {
    functionResponse: {
      id: splitCallId(message.toolCallId).id,
      // A result of no call is refused by Google whatever it is called, but the field has to be there.
      name: name ?? "unknown",
      // `output` is the field for what is no object.
      response: readJsonObject(message.content) ?? { output: message.content },
    },
  };
  const last = contents.at(-1);
  if (last?.parts.every((other) => "functionResponse" in other)) last.parts.push(part);
  else contents.push({ role: "user", parts: [part] });
}

/** `args` has to be an object: none for no text, else one that keeps what the model wrote. */
function unreadableArguments(text: string): Record<string, unknown> {
  return text.trim() === "" ? {} : { arguments: text };
}
