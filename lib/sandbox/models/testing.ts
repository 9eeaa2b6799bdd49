// For tests: the simulated models as a real child process, built on demand, and a client of their control endpoint.

import { setTimeout as sleep } from "node:timers/promises";
import { bundleProgram } from "@/lib/db/testing/programs";
import type { CallRecord } from "./call-log";
import type { ControlRule } from "./control";
import { type SimulatedModels, type SimulatedModelsOptions, startSimulatedModels } from "./start";

const AWAIT_MS = 30_000;

export interface TestModels extends SimulatedModels {
  /** Sets the behaviour of the next matching calls: `simulate("status=500", { times: 2, provider: "xai" })`. */
  simulate(directives: string, rule?: Omit<ControlRule, "simulate">): Promise<void>;
  calls(): Promise<{ count: number; calls: CallRecord[] }>;
  /** Resolves with the first matching call. Fails after ten seconds. */
  awaitCall(fits: (call: CallRecord) => boolean): Promise<CallRecord>;
  /** Deletes rules and calls. */
  clear(): Promise<void>;
}

/** The path of the program of the simulated models. */
export const modelsProgram = (): string => bundleProgram("lib/sandbox/models/main.ts");

/** Starts the simulated models for a test, without pauses between deltas. Stop them in `afterAll`. */
export async function startTestModels(options: SimulatedModelsOptions = {}): Promise<TestModels> {
  const models = await startSimulatedModels({ deltaDelayMs: 0, scriptPath: modelsProgram(), ...options });
  return { ...models, ...controlClient(models) };
}

/** The control endpoint of running simulated models, as functions. */
function controlClient({ controlUrl, apiKey }: Pick<SimulatedModels, "controlUrl" | "apiKey">) {
  async function ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(controlUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}` },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The control endpoint answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }
  const calls = async () => (await ask("GET", "/calls")) as { count: number; calls: CallRecord[] };
  return {
    calls,
    simulate: async (directives: string, rule: Omit<ControlRule, "simulate"> = {}) =>
      void (await ask("POST", "", { simulate: directives, ...rule })),
    clear: async () => void (await ask("DELETE", "")),
    async awaitCall(fits: (call: CallRecord) => boolean): Promise<CallRecord> {
      const deadline = Date.now() + AWAIT_MS;
      for (;;) {
        const log = await calls();
        const call = log.calls.find(fits);
        if (call !== undefined) return call;
        if (Date.now() > deadline) throw new Error(`No such call came in: ${JSON.stringify(log.calls.slice(-5))}`);
        await sleep(10);
      }
    },
  };
}
