// Thoughts that a model signs: only that model, and only for the text that it wrote, takes the same signature again.
// Source: docs.anthropic.com/en/docs/build-with-claude/extended-thinking ("Preserving thinking blocks"), and error bodies quoted in public
// issue threads of its clients.

import { createHash } from "node:crypto";

export const signThought = (model: string, text: string): string =>
  createHash("sha256").update(`simulated thought of ${model}\n${text}`).digest("base64url");

/** Reasoning as OpenAI hands it out: encrypted. Here it is signed and readable, which a client cannot tell. */
export const encryptReasoning = (model: string, thought: string): string =>
  `gAAAA${Buffer.from(thought).toString("base64url")}.${signThought(model, thought)}`;

/** True for reasoning that this model wrote, unchanged. */
export function canDecrypt(model: string, encrypted: string): boolean {
  const [body = "", signature] = encrypted.replace(/^gAAAA/, "").split(".");
  return signature === signThought(model, Buffer.from(body, "base64url").toString("utf8"));
}
