// The shapes of conversations that a wire format's readers refuse, as a table of rules with their sources: normalise.ts follows it. OpenAI
// is the measure: a conversation of a shape that it accepts never fails elsewhere for its shape.

export interface ShapeRules {
  /**
   * Where instructions may stand after the first turn: anywhere, after a turn of the user that is the last or comes before an answer, or
   * nowhere. Where they may not, they become text of the user, in their place.
   */
  laterSystem: "anywhere" | "after-user" | "nowhere";
  /** The first turn is the user's, and there is one. */
  opensWithUser: boolean;
  /** The last turn is the user's, or results. */
  endsWithUser: boolean;
  /** An answer to be continued does not end in white space. */
  trimsLastAnswer: boolean;
  /** No message and no part of one is blank. */
  refusesBlank: boolean;
  /** Turns of the user are never neighbours, nor are answers. */
  mergesTurns: boolean;
  /** After results comes an answer, or nothing. */
  answersResults: boolean;
  /** Results hold text only: their images follow in a message of the user. */
  imagesAfterResults: boolean;
  /** The letters of a called function's name, and how many there may be. */
  callName: { others: RegExp; most: number };
}

const words = /[^a-zA-Z0-9_-]/g;

/** developers.openai.com/api/reference/chat: any order; a function's name has at most 64 letters, digits, _ and -. */
const openai: ShapeRules = {
  laterSystem: "anywhere",
  opensWithUser: false,
  endsWithUser: false,
  trimsLastAnswer: false,
  refusesBlank: false,
  mergesTurns: false,
  answersResults: false,
  imagesAfterResults: true,
  callName: { others: words, most: 64 },
};

/** An output may be parts: developers.openai.com/api/reference/responses. A reasoning item needs an item after it. */
const responses: ShapeRules = { ...openai, imagesAfterResults: false };

/**
 * Chat templates of open models, which vLLM and hosts of such models apply: "System message must be at the beginning" (Qwen), "Conversation
 * roles must alternate user/assistant" (Gemma, Llama 2), "No user query found in messages" (Qwen).
 */
const template: ShapeRules = {
  ...openai,
  laterSystem: "nowhere",
  opensWithUser: true,
  endsWithUser: true,
  refusesBlank: true,
  mergesTurns: true,
};

/**
 * mistral-common, protocol/instruct/validator.py: "Unexpected role 'user' after role 'tool'", "Expected last role User or Tool", "Assistant
 * message must have either content or tool_calls".
 */
const mistral: ShapeRules = { ...template, answersResults: true };

/** ai.google.dev/gemini-api/docs/function-calling: "Function names … maximum length of 64". "Please ensure that function call turn comes
 * immediately after a user turn or after a function response turn" (OmniRoute#13573); a last turn of the model is refused (crewAI#6973). */
const gemini: ShapeRules = {
  ...openai,
  laterSystem: "nowhere",
  opensWithUser: true,
  endsWithUser: true,
  refusesBlank: true,
  callName: { others: /[^a-zA-Z0-9_.:-]/g, most: 64 },
};

/**
 * "first message must use the user role", "text content blocks must contain non-whitespace text", "all messages must have non-empty content
 * except for the optional final assistant message", "final assistant content cannot end with trailing whitespace":
 * platform.claude.com/docs/en/api/messages, read 2026-11-28.
 */
const anthropic: ShapeRules = {
  laterSystem: "nowhere",
  opensWithUser: true,
  endsWithUser: false,
  trimsLastAnswer: true,
  refusesBlank: true,
  mergesTurns: false,
  answersResults: false,
  imagesAfterResults: false,
  callName: { others: words, most: 128 },
};

export const shapeRules = { openai, responses, template, mistral, gemini, anthropic } as const;
