// The playground's code examples, run as pasted: by sh, by Node and by Python, with prompts that break naive quoting.

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { expectPaid } from "@/lib/gateway/contract/testing/books";
import { openService } from "@/lib/gateway/contract/testing/service";
import { curlCode, type PromptFields, pythonCode, typescriptCode } from "./code-lines";

const service = await openService();
const target = { baseUrl: service.url("node"), keyVariable: "PENNYPROMPT_KEY" };
const folder = mkdtempSync(join(tmpdir(), "pennyprompt-code-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nasty: readonly string[] = [
  `single ' double " back \` and '"'"' and '\\'' and \\' and \\\\`,
  "line\nend, tab\t, return\r\n, and \\n that is none",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would fill it in
  "$(touch pwned) `touch pwned` $PENNYPROMPT_KEY ${HOME} $((1+1)) !! !x; touch pwned & touch pwned | cat > pwned",
  "emoji 🪙👩‍🚀, é, 中文, עברית, \u2028 line separator, \u200b nothing, \u007f delete, \u0001 control",
  "@/etc/passwd",
  '"}\' -d \'{"model":"gpt-4-turbo',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: so would TypeScript
  '"""${1}""" {0} %s f"{x}" #{y} \\N{DASH} \\x41 \\u0041',
];

const fields = (prompt: string): PromptFields => ({
  model: "gpt-4o-mini",
  system: `You are "it's" \\ $(id)\n${prompt}`,
  prompt,
  maxTokens: 32,
  temperature: 0.25,
});

const execute = promisify(execFile);

async function run(command: string, args: readonly string[], key: string): Promise<string> {
  const env = { ...process.env, PENNYPROMPT_KEY: key, PYTHONDONTWRITEBYTECODE: "1", PYTHONIOENCODING: "utf-8" };
  return (await execute(command, [...args], { cwd: folder, env, encoding: "utf8", timeout: 20_000 })).stdout;
}

/** The models received exactly this prompt, with these limits, and the run was charged. */
async function expectAsked(prompt: string, work: (key: string) => Promise<string>): Promise<void> {
  const account = await openAccount();
  await service.models.clear();
  expect(await work(account.key)).toContain("Simulated answer");
  const { calls } = await service.models.calls();
  expect(calls).toMatchObject([{ question: prompt, maxOutputTokens: 32, temperature: 0.25, stream: false }]);
  expect(() => execFileSync("ls", [join(folder, "pwned")], { stdio: "ignore" })).toThrow();
  await expectPaid(account);
}

const hasRequests = (() => {
  try {
    execFileSync("python3", ["-c", "import requests"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.each(nasty)("%j", (prompt) => {
  test("in curl, by sh", () => expectAsked(prompt, (key) => run("sh", ["-c", curlCode(target, fields(prompt))], key)));

  test("in TypeScript", () =>
    expectAsked(prompt, (key) => {
      const file = join(folder, "example.mjs");
      writeFileSync(file, typescriptCode(target, fields(prompt)));
      return run(process.execPath, [file], key);
    }));

  test.skipIf(!hasRequests)("in Python", () =>
    expectAsked(prompt, (key) => run("python3", ["-c", pythonCode(target, fields(prompt))], key)),
  );
});

test("fields that are not set are not sent", () => {
  const code = curlCode(target, { model: "grok", prompt: "Hi", system: undefined, maxTokens: undefined, temperature: undefined });
  expect(code).toContain(`-d '{\n    "model": "grok",\n    "prompt": "Hi"\n  }'`);
});
