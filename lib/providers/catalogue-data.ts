// The built-in models: facts from the providers' public pages, and our prices on top of them. The operator's MODELS_FILE can change
// and extend everything here; nothing here knows which provider is configured.
//
// Facts as of 2026-11-20, from the providers' public pages:
//   openai     developers.openai.com/api/docs/{models,pricing}
//   anthropic  platform.claude.com/docs/en/models
//   gemini     ai.google.dev/gemini-api/docs/{pricing,models,thinking}
//   xai        docs.x.ai/developers/models
//   deepseek   api-docs.deepseek.com/quick_start/pricing
//   others     in catalogue-data/open-models.ts, retirements in catalogue-data/retirements.ts
// Prices of every kind: those pages as of 2026-11-26 for Claude 5 and later, else a public list that quotes them: github.com/pydantic/
// genai-prices 0.1.8 of 2026-09-23, for GPT-6.1 the notes of programs that price it, of September and October 2026. A retired model keeps the last price its provider published.
// Release dates: those pages, model cards of Amazon Bedrock, and models.dev; of a name that moves on (deepseek-chat), its last model's.
// Prices move: check them before going live, and correct them in MODELS_FILE.
//
// No model needs a reasoning ceiling: the xAI models listed here do not reason, and the output limit of all others includes reasoning:
// `max_completion_tokens` (OpenAI and compatible hosts), `maxOutputTokens` (Gemini), `max_tokens` (Anthropic, DeepSeek).

import { anthropicModels } from "./catalogue-data/anthropic";
import { deepseekModels } from "./catalogue-data/deepseek";
import { geminiModels } from "./catalogue-data/gemini";
import { cerebrasModels, fireworksModels, groqModels, mistralModels, moonshotModels } from "./catalogue-data/open-models";
import { openaiModels } from "./catalogue-data/openai";
import { modelOf } from "./catalogue-data/row";
import { xaiModels } from "./catalogue-data/xai";
import type { Model } from "./types";

export const builtInModels: readonly Model[] = [
  ...openaiModels.map((row) => modelOf("openai", "openai", row)),
  ...anthropicModels.map((row) => modelOf("anthropic", "anthropic", row)),
  ...geminiModels.map((row) => modelOf("gemini", "google", row)),
  ...xaiModels.map((row) => modelOf("xai", "x-ai", row)),
  ...deepseekModels.map((row) => modelOf("deepseek", "deepseek", row)),
  ...mistralModels.map((row) => modelOf("mistral", "mistralai", row)),
  ...groqModels.map((row) => modelOf("groq", "groq", row)),
  ...fireworksModels.map((row) => modelOf("fireworks", "fireworks", row)),
  ...moonshotModels.map((row) => modelOf("moonshot", "moonshotai", row)),
  ...cerebrasModels.map((row) => modelOf("cerebras", "cerebras", row)),
];
