// When providers stop answering to names of the catalogue. The names stay in it: a compatible host or the simulated providers may still
// serve them; the provider's own host cannot.
//
// Dates and successors as of 2026-11-28, from the providers' public pages:
//   openai     developers.openai.com/api/docs/deprecations
//   anthropic  platform.claude.com/docs/en/models/sonnet-4-5/overview
//   gemini     ai.google.dev/gemini-api/docs/deprecations
//   xai        docs.x.ai/developers/migration/may-15-retirement
//   deepseek   api-docs.deepseek.com, its first page, and /quick_start/pricing
// A successor is the provider's own advice, where the catalogue has that model.

export interface Retirement {
  /** The first day without service, UTC: `2027-01-14`. */
  on: string;
  /** The id of the model to use instead. */
  successor?: string | undefined;
}

/** By `provider/wire name`. */
export const retirements: ReadonlyMap<string, Retirement> = new Map<string, Retirement>([
  ["openai/gpt-3.5-turbo", { on: "2026-10-23", successor: "gpt-5.6-terra" }],
  ["openai/gpt-4", { on: "2026-10-23", successor: "gpt-5.6-sol" }],
  ["openai/gpt-4-turbo", { on: "2026-10-23", successor: "gpt-5.6-sol" }],
  ["openai/gpt-4o", { on: "2027-01-14", successor: "gpt-6-luna" }],
  ["openai/gpt-4o-mini", { on: "2027-01-14", successor: "gpt-6-luna" }],
  ["openai/gpt-4.1", { on: "2027-01-14", successor: "gpt-6-luna" }],
  ["openai/gpt-4.1-mini", { on: "2027-01-14", successor: "gpt-6-luna" }],
  ["anthropic/claude-sonnet-4-5-20250929", { on: "2026-11-30", successor: "claude-sonnet-5-5" }],
  // Since then Google serves these successors under the two names, which its deprecations page gives no date:
  // ai.google.dev/gemini-api/docs/changelog, October 8, 2026, and /models/gemini-3.7-flash.
  ["gemini/gemini-3.5-flash", { on: "2026-10-08", successor: "gemini-3.6-flash" }],
  ["gemini/gemini-3.7-flash", { on: "2026-10-08", successor: "gemini-3.8-flash" }],
  // From that day Google serves other models under these two names: those that it advises.
  ["gemini/gemini-2.5-flash", { on: "2026-12-01", successor: "gemini-3.5-flash-lite" }],
  ["gemini/gemini-2.5-pro", { on: "2026-12-01", successor: "gemini-3.8-flash" }],
  ["xai/grok-4-fast-non-reasoning", { on: "2026-05-15", successor: "grok-4.20" }],
  ["deepseek/deepseek-chat", { on: "2026-07-24", successor: "deepseek-flash" }],
  // Since then DeepSeek serves V4.1 Flash under these two names.
  ["deepseek/deepseek-v4-flash", { on: "2026-09-10", successor: "deepseek-flash" }],
  ["deepseek/deepseek-v4-pro", { on: "2026-09-14", successor: "deepseek-flash" }],
]);
