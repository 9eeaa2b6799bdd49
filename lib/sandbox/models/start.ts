// Starts the simulated models as a child process, and returns their URLs and key.

import { fileURLToPath } from "node:url";
import type { VendorId } from "@/lib/providers/model-route";
import { type Child, startChild } from "../child-process";

export interface SimulatedModelsOptions {
  /** Milliseconds between two deltas of a stream; the default of 20 makes the streaming visible. */
  deltaDelayMs?: number;
  /** The built `main.ts`; by default beside the built server. */
  scriptPath?: string;
}

export interface SimulatedModels extends Omit<Child<unknown>, "ready"> {
  /** In the form that each vendor's own client expects. */
  baseUrls: Record<VendorId, string>;
  /** New at each start; valid at every simulated vendor. */
  apiKey: string;
  controlUrl: string;
}

/**
 * Starts the simulated models on 127.0.0.1. They end with this process, however it ends.
 * @throws Error when they cannot start: the script is missing
 */
export async function startSimulatedModels(options: SimulatedModelsOptions = {}): Promise<SimulatedModels> {
  const { deltaDelayMs = 20 } = options;
  const scriptPath = options.scriptPath ?? fileURLToPath(new URL("./simulated-models.mjs", import.meta.url));
  const { ready, ...child } = await startChild({
    name: "simulated models",
    command: process.execPath,
    args: [
      // A small young generation keeps the process small; its objects are short-lived anyway.
      "--max-semi-space-size=1",
      scriptPath,
      `--delta-delay-ms=${deltaDelayMs}`,
    ],
    endsWithStdin: true,
    readReady: readReadyLine,
  });
  const origin = `http://127.0.0.1:${ready.port}`;
  const baseUrls = {
    openai: `${origin}/openai/v1`,
    anthropic: `${origin}/anthropic`,
    gemini: `${origin}/gemini`,
    xai: `${origin}/xai/v1`,
    deepseek: `${origin}/deepseek`,
  };
  return { baseUrls, apiKey: ready.apiKey, controlUrl: `${origin}/control`, ...child };
}

function readReadyLine(line: string): { port: number; apiKey: string } | undefined {
  const [, port, apiKey] = /^\{"port":(\d+),"apiKey":"([^"]+)"\}$/.exec(line) ?? [];
  return port === undefined || apiKey === undefined ? undefined : { port: Number(port), apiKey };
}
