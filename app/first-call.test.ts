// Every snippet that a new key is shown with, run as pasted against the running service: curl by sh, packages by Node, and the command-line
// clients' settings by a stand-in that sends what they send (see e2e/agents for whole sessions of theirs).

import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { exampleSite, runExample } from "@/app/(site)/docs/testing/run-example";
import { listModelPrices } from "@/lib/console/models";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { chargesOf, expectPaid } from "@/lib/gateway/contract/testing/books";
import { openService } from "@/lib/gateway/contract/testing/service";
import { defaultModel } from "@/lib/providers/catalogue";
import { firstCalls } from "./first-call";

const service = await openService();
const site = exampleSite(service.url("node"));
const prices = listModelPrices();
const offered = { ids: prices.map(({ id }) => id), usual: defaultModel(prices).id };
const folder = mkdtempSync(join(tmpdir(), "pennyprompt-first-call-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const execute = promisify(execFile);

/** A program of this name on the path, which runs a line of shell. */
function standIn(name: string, line: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`);
  chmodSync(join(folder, name), 0o755);
}

async function inShell(code: string): Promise<string> {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, HOME: folder };
  return (await execute("sh", ["-c", code], { env, encoding: "utf8", timeout: 20_000 })).stdout;
}

/** Claude Code reads its address, its key and its model from the environment. */
const claude = `curl -s "$ANTHROPIC_BASE_URL/v1/messages" -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" -H "content-type: application/json" \\
  -d "{\\"model\\":\\"$ANTHROPIC_MODEL\\",\\"max_tokens\\":64,\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"Hi\\"}]}"`;

/** Codex reads them from its file, and the key from the variable that env_key names. */
const codex = `value() { sed -n "s/^$1 = \\"\\(.*\\)\\"$/\\1/p" "$HOME/config.toml"; }
eval "key=\\$$(value env_key)"
curl -s "$(value base_url)/$(value wire_api)" -H "Authorization: Bearer $key" -H "content-type: application/json" \\
  -d "{\\"model\\":\\"$(value model)\\",\\"input\\":\\"Hi\\",\\"store\\":false}"`;

const snippetsOf = (key: string, models: readonly string[] | null = null) => firstCalls(site, { key, models, spends: true }, offered);

test("each client has one, with the key filled in and no variable left to set", () => {
  const snippets = snippetsOf("pp_key");
  expect(snippets.map(({ client }) => client)).toEqual(["curl", "OpenAI", "Anthropic", "AI SDK", "Claude Code", "Codex"]);
  for (const { client, blocks } of snippets) {
    const code = blocks.map((block) => block.code).join("\n");
    expect(code, client).toContain("pp_key");
    expect(code, client).toContain(site.baseUrl);
    expect(code, client).not.toMatch(/process\.env|\$PENNYPROMPT_KEY/);
  }
});

test.each(["curl", "OpenAI", "Anthropic", "AI SDK", "Claude Code", "Codex"])(
  "the snippet for %s is answered and charged",
  async (client) => {
    const account = await openAccount();
    const blocks = snippetsOf(account.key).find((snippet) => snippet.client === client)?.blocks ?? [];
    const [first, second] = blocks.map(({ code }) => code);
    standIn("claude", claude);
    standIn("codex", codex);
    if (client === "Codex") writeFileSync(join(folder, "config.toml"), first ?? "");
    const isProgram = ["OpenAI", "Anthropic", "AI SDK"].includes(client);
    expect(isProgram ? await runExample(first ?? "", {}) : await inShell(second ?? first ?? "")).toContain("Simulated answer");
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  },
);

test("a key for some models is shown with one of them, and a key that only reads with its balance", async () => {
  const code = snippetsOf("pp_key", ["claude-haiku-4-5"]).flatMap(({ blocks }) => blocks.map((block) => block.code));
  for (const one of code.filter((text) => /"model"|model:|MODEL=|^model/m.test(text))) expect(one).toContain("claude-haiku-4-5");
  const { key } = await openAccount();
  const [only, ...others] = firstCalls(site, { key, models: null, spends: false }, offered);
  expect(others).toEqual([]);
  expect(await inShell(only?.blocks[0]?.code ?? "")).toContain('"available":5');
});
