// Every example of the docs, run unchanged against the running service: curl lines by curl, TypeScript by Node beside a copy of our
// client, as the docs tell readers to make, Python by python3 where it and the package are installed.

import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { curlBalance, curlDeposits, curlPrompt, exampleAnswer } from "@/app/examples";
import type { Site } from "@/app/site";
import { listModelPrices } from "@/lib/console/models";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { chargesOf, expectPaid } from "@/lib/gateway/contract/testing/books";
import { ask, promptOf, readEvents, readPromptBody } from "@/lib/gateway/contract/testing/client";
import { openService } from "@/lib/gateway/contract/testing/service";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import * as documented from "@/lib/gateway/openapi/examples";
import { defaultModel } from "@/lib/providers/catalogue";
import { countInputTokens, countTokens } from "@/lib/sandbox/models/tokens";
import { findOperation } from "./api/operations";
import { type CodeExample, errorExamples, promptExamples, retryExamples, streamExamples } from "./code-examples";

const service = await openService();
const root = fileURLToPath(new URL("../../..", import.meta.url));
const site: Site = {
  name: "PennyPrompt",
  baseUrl: service.url("node"),
  isSandbox: true,
  mayHaveRealModels: false,
  keyVariable: "PENNYPROMPT_KEY",
  sandboxFile: "",
};
const model = defaultModel(listModelPrices()).id;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pennyprompt-examples-"));
  cpSync(join(root, "lib/client"), join(folder, "pennyprompt"), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const execute = promisify(execFile);

async function output(command: string, args: readonly string[], key: string): Promise<string> {
  const env = {
    ...process.env,
    PENNYPROMPT_KEY: key,
    FORCE_COLOR: "0",
    PYTHONWARNINGS: "ignore",
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONPATH,
  };
  const { stdout } = await execute(command, [...args], { env, encoding: "utf8", timeout: 20_000 });
  return stdout;
}

/** The example's output. It fails when the example does. */
async function run({ runs, code }: Pick<CodeExample, "runs" | "code">, key: string): Promise<string> {
  if (runs === "curl") return output("sh", ["-c", code], key);
  if (runs === "python") return output("python3", ["-c", code], key);
  const outfile = join(folder, "example.mjs");
  writeFileSync(join(folder, "example.ts"), code);
  await build({
    entryPoints: [join(folder, "example.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    nodePaths: [join(root, "node_modules")],
    logLevel: "silent",
  });
  return output(process.execPath, [outfile], key);
}

function isInstalled(pythonPackage: string): boolean {
  try {
    execFileSync("python3", ["-c", `import ${pythonPackage}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Where the package is not installed, a small module of the same name implements what the examples use. */
const PYTHONPATH = isInstalled("openai") ? "" : join(root, "app/(site)/docs/testing/python");

/** False without Python, or without the package that the example imports; then the test is skipped. */
function canRun({ runs, code }: CodeExample): boolean {
  if (runs !== "python") return true;
  return isInstalled(/^import requests/m.test(code) ? "requests" : "json");
}

/** One test per example, named after it. */
function eachExample(examples: readonly CodeExample[], check: (printed: string, example: CodeExample) => void): void {
  for (const example of examples) {
    test.skipIf(!canRun(example))(`${example.title} (${example.runs})`, async () => {
      const account = await openAccount();
      check(await run(example, account.key), example);
      await expectPaid(account);
    });
  }
}

test("the answer on pages is the document's", () => {
  const [first] = listModelPrices().filter(({ id }) => id === model);
  if (!first) throw new Error("the example's model has no price");
  const { promptAnswer } = documented.examplesOf(documented.exampleModel());
  expect(JSON.parse(exampleAnswer(first).json)).toEqual(promptAnswer);
});

test("the shown answer's counts are those of its text, as the models of a sandbox count", async () => {
  const { prompt, pieces, tokens } = documented.example;
  const account = await openAccount();
  const printed = JSON.parse(await output("sh", ["-c", curlPrompt(site, model)], account.key)) as { usage: { inputTokens: number } };
  expect(printed.usage.inputTokens).toBe(tokens.input);
  expect(countInputTokens([{ text: prompt }])).toBe(tokens.input);
  expect(countTokens(pieces.join(""))).toBe(tokens.output);
  expect(countTokens(pieces[0])).toBe(tokens.beforeTheBreak);
  await expectPaid(account);
});

describe("one prompt prints the answer and its cost", () => {
  // Python's own form of a small cost has an exponent.
  const cost = /\b0\.000\d+\b|\de-05\b/;
  eachExample(
    [{ label: "curl", title: "curl", runs: "curl", code: curlPrompt(site, model) }, ...promptExamples(site, model)],
    (printed) => {
      expect(printed).toContain("Simulated answer");
      expect(printed).toMatch(cost);
    },
  );
});

describe("a stream prints the answer piece by piece, then its cost", () => {
  eachExample(streamExamples(site, model), (printed, { runs }) => {
    if (runs === "curl") expect(readEvents(printed).at(-1)?.event).toBe("done");
    expect(printed).toContain("Simulated");
    expect(printed.trimEnd().slice(-600)).toMatch(/\b0\.000\d+|\de-05\b/);
  });
});

describe("a request sent twice gets the same answer and is charged once", () => {
  for (const example of retryExamples(site, model)) {
    test.skipIf(!canRun(example))(`${example.title} (${example.runs})`, async () => {
      const account = await openAccount();
      const first = await run(example, account.key);
      expect(first).toMatch(/req_\w{20}/);
      expect(await run(example, account.key)).toBe(first);
      expect(await chargesOf(account.accountId)).toHaveLength(1);
      await expectPaid(account);
    });
  }
});

describe("an error is identified by its code", () => {
  eachExample(errorExamples(site, model), (printed, { label }) => {
    expect(printed).toMatch(label === "Our client" ? /maxCost/ : /^(400|404) INVALID_MODEL .*no-such-model/);
  });
});

describe("the curl lines of each operation of the reference answer as described", () => {
  const paths = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId }) => ({ path, operationId })),
  );
  // curl has no wallet: payments/examples.test.ts covers x402, and bodies with a payment.
  test.each(paths.filter(({ operationId }) => operationId !== "createX402Prompt"))("$operationId", async ({ operationId }) => {
    const { key } = await openAccount();
    const { requestId } = readPromptBody((await ask({ url: site.baseUrl, key, body: promptOf() })).text);
    const operation = findOperation(site, operationId);
    const described = Object.keys(JSON.parse(operation?.answers[0]?.json ?? "") as object);
    const lines = operation?.requests.filter(({ curl }) => !curl.includes('"payment"')) ?? [];
    expect(lines.length).toBeGreaterThan(0);
    for (const { label, curl } of lines) {
      const printed = await run({ runs: "curl", code: curl.replace(documented.EXAMPLE_REQUEST_ID, requestId) }, key);
      if (/"stream": ?true/.test(curl)) expect(printed, label).toMatch(/^(event|data): /m);
      else expect(Object.keys(JSON.parse(printed) as object), label).toEqual(expect.arrayContaining(described));
    }
  });

  test("the quick start's balance line answers as described", async () => {
    const { key } = await openAccount();
    expect(await run({ runs: "curl", code: curlBalance(site) }, key)).toBe(
      '{"balance":5,"held":0,"available":5,"currency":"USD","wallet":null,"withdrawals":[]}',
    );
  });

  test("the deposits page's curl line answers as described", async () => {
    const { key } = await openAccount();
    expect(await run({ runs: "curl", code: curlDeposits(site) }, key)).toBe('{"rows":[],"nextCursor":null}');
  });
});
