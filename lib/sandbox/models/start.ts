// Starts the simulated models as a child process, and returns their URLs and key.

import { fileURLToPath } from "node:url";
import type { VendorId } from "@/lib/providers/types";
import { type ChildEnd, startChild } from "../child-process";

export interface SimulatedModelsOptions {
  /** 0 picks a free one. */
  port?: number;
  /** Milliseconds between two deltas of a stream; the default of 20 makes the streaming visible. */
  deltaDelayMs?: number;
  /** Additional model names, besides those that look like a vendor's own. */
  extraModels?: readonly string[];
  /** The built `main.ts`; by default beside the built server. */
  scriptPath?: string;
}

export interface SimulatedModels {
  /** In the form that each vendor's own client expects. */
  baseUrls: Record<VendorId, string>;
  /** New at each start; valid at every simulated vendor. */
  apiKey: string;
  controlUrl: string;
  pid: number;
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<ChildEnd>;
  stop(): Promise<ChildEnd>;
}

/**
 * Starts the simulated models on 127.0.0.1. They end with this process, however it ends.
 * @throws Error when they cannot start: the port is taken, or the script is missing
 */
export async function startSimulatedModels(options: SimulatedModelsOptions = {}): Promise<SimulatedModels> {
  const { port = 0, deltaDelayMs = 20, extraModels = [] } = options;
  const scriptPath = options.scriptPath ?? fileURLToPath(new URL("./simulated-models.mjs", import.meta.url));
  const child = await startChild({
    name: "simulated models",
    command: process.execPath,
    args: [
      // A small young generation keeps the process small; its objects are short-lived anyway.
      "--max-semi-space-size=1",
      scriptPath,
      `--port=${port}`,
      `--delta-delay-ms=${deltaDelayMs}`,
      ...extraModels.map((model) => `--model=${model}`),
    ],
    endsWithStdin: true,
    readReady: readReadyLine,
  });
  const { port: givenPort, apiKey } = child.ready;
  const origin = `http://127.0.0.1:${givenPort}`;
  return { baseUrls: baseUrlsAt(origin), apiKey, controlUrl: `${origin}/control`, pid: child.pid, ended: child.ended, stop: child.stop };
}

/** The base URLs of the simulated vendors below `origin`. */
export function baseUrlsAt(origin: string): Record<VendorId, string> {
  return {
    openai: `${origin}/openai/v1`,
    anthropic: `${origin}/anthropic`,
    gemini: `${origin}/gemini`,
    xai: `${origin}/xai/v1`,
    deepseek: `${origin}/deepseek`,
  };
}

function readReadyLine(line: string): { port: number; apiKey: string } | undefined {
  const [, port, apiKey] = /^\{"port":(\d+),"apiKey":"([^"]+)"\}$/.exec(line) ?? [];
  return port === undefined || apiKey === undefined ? undefined : { port: Number(port), apiKey };
}
