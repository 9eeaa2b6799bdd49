// A new key's first call, for the client of choice: the examples of the docs, which their tests run, with the key and the address filled in.

import type { Snippet } from "@/lib/console/views/keys";
import { claudeModel, shellSetup, typescriptClient } from "./(site)/docs/claude-code/examples";
import { aiSdk, openaiResponses } from "./(site)/docs/clients/examples";
import { codexConfig, codexModel } from "./(site)/docs/codex/examples";
import { curlBalance, curlPrompt } from "./examples";
import type { Site } from "./site";

export interface KeyUse {
  key: string;
  /** The models that the key may call; null: all. */
  models: readonly string[] | null;
  /** False for a key that only reads. */
  spends: boolean;
}

/** `offered` are the ids of all models that answer prompts; `usual` is the model for somebody who has chosen none. */
export function firstCalls(site: Site, { key, models, spends }: KeyUse, offered: { ids: readonly string[]; usual: string }): Snippet[] {
  const snippet = (client: string, ...blocks: Snippet["blocks"]): Snippet => ({
    client,
    blocks: blocks.map(({ title, code }) => ({ title, code: fillIn(code, key, site) })),
  });
  if (!spends) return [snippet("curl", { title: "Terminal", code: curlBalance(site) })];
  const ids = models?.filter((id) => offered.ids.includes(id)) ?? offered.ids;
  const usual = models ? ids[0] : offered.usual;
  // A key for embeddings alone: no client's example is a prompt of its.
  if (usual === undefined) return [snippet("curl", { title: "Terminal", code: curlBalance(site) })];
  const claude = claudeModel(ids) ?? usual;
  return [
    snippet("curl", { title: "Terminal", code: curlPrompt(site, usual) }),
    snippet("OpenAI", { title: "npm install openai", code: openaiResponses(site, usual) }),
    snippet("Anthropic", { title: "npm install @anthropic-ai/sdk", code: typescriptClient(site, claude) }),
    snippet("AI SDK", { title: "npm install ai @ai-sdk/openai", code: aiSdk(site, usual) }),
    snippet("Claude Code", { title: "Terminal", code: shellSetup(site, claude) }),
    snippet(
      "Codex",
      { title: "~/.codex/config.toml", code: codexConfig(site, codexModel(ids) ?? usual) },
      { title: "Terminal", code: `export ${site.keyVariable}="$${site.keyVariable}"\ncodex` },
    ),
  ];
}

/** The key in the place of its variable, as TypeScript and a shell write it. A key has letters, digits and underscores only. */
const fillIn = (code: string, key: string, { keyVariable }: Site): string =>
  code.replaceAll(`process.env.${keyVariable}`, () => `"${key}"`).replaceAll(`$${keyVariable}`, () => key);
