// A command-line agent in a project of its own, against a started sandbox: it runs one turn after the other, and what it sent, what it got
// and what each turn cost is kept.

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { z } from "zod";
import { type Exchange, reduceSession } from "@/lib/gateway/contract/testing/session";
import { type StartedService, startService } from "../start-service";
import { startRecorder } from "./recorder";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TURN_TIMEOUT_MS = 120_000;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Turn {
  what: string;
  /** The agent's last words. */
  answer: string;
  exchanges: Exchange[];
}

const balanceSchema = z.object({ balance: z.number(), held: z.number() });
const usageSchema = z.object({ totals: z.object({ requests: z.int(), cost: z.object({ totalCost: z.number() }) }) });

export type Agent = Awaited<ReturnType<typeof openAgent>>;

/** Starts a sandbox and a recorder before it. `client`: the agent and its version. */
export async function openAgent(client: string) {
  const service = await startService();
  const recorder = await startRecorder(service.baseUrl);
  const home = mkdtempSync(join(tmpdir(), "pennyprompt-agent-"));
  const project = join(home, "project");
  mkdirSync(project);
  writeFileSync(join(project, "README.md"), "# A project\n\nIt has a readme.\n");
  copyFileSync(join(root, "e2e/screenshots/alerts-phone-light.png"), join(project, "picture.png"));
  const key = readKey(service);
  const turns: Turn[] = [];
  const before = await readBalance(service, key);

  const run = (program: string, args: readonly string[], env: Record<string, string>, input = ""): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const settings = { NODE_ENV: "production" as const, PATH: process.env.PATH ?? "", HOME: home, TMPDIR: home, ...env };
      const child = spawn(join(root, ".data/agents/node_modules/.bin", program), args, { cwd: project, env: settings, detached: true });
      // With all that it started: a launcher's child would keep the pipes open.
      const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), TURN_TIMEOUT_MS);
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
      child.on("error", reject);
      child.on("close", (code) => {
        clearTimeout(timer);
        resolve({ code, stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") });
      });
      child.stdin.end(input);
    });

  /** Keeps a turn that the agent has ended with `answer`. */
  const keep = (what: string, answer: string): Turn => {
    const turn = { what, answer, exchanges: recorder.take() };
    turns.push(turn);
    return turn;
  };

  const stop = async () => {
    await recorder.stop();
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  };

  /** Checks the books against what the agent was answered, and writes the transcript and the session beside the packages. */
  const close = async (name: string) => {
    const answered = turns.flatMap(({ exchanges }) => exchanges).filter(isAnswered);
    const { totals } = usageSchema.parse(await read(service, key, "/api/v1/usage"));
    const after = await readBalance(service, key);
    expect(after.held).toBe(0);
    expect(totals.requests).toBe(answered.length);
    expect(totals.cost.totalCost).toBeCloseTo(before.balance - after.balance, 9);
    const lines = turns.map(lineOf);
    const told = [client, ...lines, `${turns.length} turns, ${answered.length} answers, $${totals.cost.totalCost.toFixed(6)}`];
    const anonymous = turns.flatMap(({ exchanges }) => exchanges).map((exchange) => withoutPlaces(exchange, home));
    const folder = join(root, ".data/agents");
    writeFileSync(join(folder, `${name}.txt`), `${told.join("\n")}\n`);
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(reduceSession(client, anonymous), null, 2)}\n`);
  };

  return { url: recorder.url, key, project, home, run, keep, close, stop, turns };
}

/** In a stream of OpenAI's Responses a refusal is an event. */
const isAnswered = ({ method, status, answer }: Exchange): boolean =>
  method === "POST" && status === 200 && !answer.includes("event: response.failed");

/** The demo account's key, which the sandbox keeps for its next start. */
const readKey = ({ dataDir }: StartedService): string =>
  z.object({ apiKey: z.string() }).parse(JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8"))).apiKey;

async function read(service: StartedService, key: string, path: string): Promise<unknown> {
  const answer = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } });
  return answer.json();
}

const readBalance = async (service: StartedService, key: string) => balanceSchema.parse(await read(service, key, "/api/v1/balance"));

/** An agent writes its directories into its prompts. */
const withoutPlaces = (exchange: Exchange, home: string): Exchange => ({
  ...exchange,
  body: exchange.body.replaceAll(join(home, "project"), "/project").replaceAll(home, "/home/user"),
});

const bodySchema = z.object({ messages: z.array(z.unknown()).optional(), input: z.array(z.unknown()).optional() });

function lineOf({ what, answer, exchanges }: Turn, index: number): string {
  const calls = exchanges
    .filter(({ body }) => body !== "")
    .map(({ body, status }) => {
      const { messages = [], input = messages } = bodySchema.parse(JSON.parse(body));
      return `${status} (${input.length})`;
    });
  const gist = answer.replaceAll(/\s+/g, " ").slice(0, 110);
  return `${String(index + 1).padStart(2)}  ${what.padEnd(34)} ${calls.join(" ").padEnd(30)} ${gist}`;
}
