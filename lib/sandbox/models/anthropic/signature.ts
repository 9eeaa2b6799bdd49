// Signatures of thoughts: only the text that a model wrote, and only that model, gets the same one again.
// Source: docs.anthropic.com/en/docs/build-with-claude/extended-thinking ("Preserving thinking blocks"), and error bodies quoted in public
// issue threads of its clients.

import { createHash } from "node:crypto";

export const signThought = (model: string, text: string): string =>
  createHash("sha256").update(`simulated thought of ${model}\n${text}`).digest("base64");
