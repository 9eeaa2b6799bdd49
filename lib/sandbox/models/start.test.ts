import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "@/lib/db/testing/programs";
import { startSimulatedModels } from "./start";
import { modelsProgram, startTestModels } from "./testing";

const scriptPath = modelsProgram();

function ask({ baseUrls, apiKey }: { baseUrls: { openai: string }; apiKey: string }, prompt: string): Promise<Response> {
  return fetch(`${baseUrls.openai}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: "gpt-4", messages: [{ role: "user", content: prompt }], stream: true }),
  });
}

test("each start listens on this machine only, with its own key", async () => {
  const [first, second] = await Promise.all([startSimulatedModels({ scriptPath }), startSimulatedModels({ scriptPath })]);
  onTestFinished(async () => void (await Promise.all([first.stop(), second.stop()])));
  expect(first.baseUrls.anthropic).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/anthropic$/);
  expect(first.apiKey).not.toBe(second.apiKey);
  expect((await ask(first, "Hi")).status).toBe(200);
  expect((await ask({ ...first, apiKey: second.apiKey }, "Hi")).status).toBe(401);
});

test("a missing script is an error that names it", async () => {
  await expect(startSimulatedModels({ scriptPath: "/nowhere/simulated-models.mjs" })).rejects.toThrow("/nowhere/simulated-models.mjs");
});

test("stop ends the process, even during answers", async () => {
  const models = await startTestModels();
  const answer = await ask(models, "x [[simulate: stall-after=1]]");
  await models.stop();
  await expect(answer.text()).rejects.toThrow();
  expect(() => process.kill(models.pid, 0)).toThrow("ESRCH");
});

test("a stream arrives in pieces, at the configured pace", async () => {
  const models = await startTestModels({ deltaDelayMs: 5 });
  onTestFinished(async () => void (await models.stop()));
  const reader = (await ask(models, "x [[simulate: tokens=20]]")).body?.getReader();
  let pieces = 0;
  while (!(await reader?.read())?.done) pieces++;
  expect(pieces).toBeGreaterThan(5);
});

test("the simulated models end when their parent is killed with -9", async () => {
  const modulePath = bundleProgram("lib/sandbox/models/start.ts");
  const parent = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `
    import { startSimulatedModels } from ${JSON.stringify(modulePath)};
    console.log(JSON.stringify(await startSimulatedModels({ deltaDelayMs: 0, scriptPath: ${JSON.stringify(scriptPath)} })));`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const models = JSON.parse(line) as { baseUrls: { openai: string }; apiKey: string; pid: number };
  onTestFinished(() => {
    try {
      process.kill(models.pid, "SIGKILL");
    } catch {
      // It has ended, as expected.
    }
  });
  // The child's end shows at its connection: it closes without a response.
  const hanging = ask(models, "x [[simulate: hang]]");
  expect((await ask(models, "Hi")).status).toBe(200);
  parent.kill("SIGKILL");
  await expect(hanging).rejects.toThrow();
  await expect(ask(models, "Hi")).rejects.toThrow();
});
