// The examples of Claude Code's page.

import type { Site } from "@/app/site";

/** The Claude of the list to show, if there is one: the newest Sonnet. */
export const claudeModel = (ids: readonly string[]): string | undefined =>
  newestOf(ids.filter((id) => id.startsWith("claude-sonnet"))) ?? ids.find((id) => id.startsWith("claude-"));

/** Of names that differ in their version. */
export const newestOf = (ids: readonly string[]): string | undefined =>
  ids.toSorted((left, right) => right.localeCompare(left, "en", { numeric: true }))[0];

export const shellSetup = ({ baseUrl, keyVariable }: Site, model: string): string =>
  `export ANTHROPIC_BASE_URL="${baseUrl}/api"
export ANTHROPIC_AUTH_TOKEN="$${keyVariable}"
export ANTHROPIC_MODEL="${model}"
claude`;

export const settingsFile = ({ baseUrl }: Site, model: string): string =>
  JSON.stringify({ env: { ANTHROPIC_BASE_URL: `${baseUrl}/api`, ANTHROPIC_AUTH_TOKEN: "pp_…", ANTHROPIC_MODEL: model } }, null, 2);

export const typescriptClient = ({ baseUrl, keyVariable }: Site, model: string): string =>
  `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  apiKey: process.env.${keyVariable},
  baseURL: "${baseUrl}/api",
});

const message = await client.messages.create({
  model: "${model}",
  max_tokens: 1024,
  messages: [{ role: "user", content: "What is a nano-dollar?" }],
});
console.log(message.content, message.usage);`;
