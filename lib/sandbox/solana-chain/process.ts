// The sandbox's Solana chain: its own process with test USDC, persisted, kept running, and never connected to a public cluster.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { keepNodeRunning } from "@/lib/base/keep-running";
import { type Child, startChild } from "../child-process";

export interface SolanaProcessOptions {
  /** The chain's data is in `chains/solana.*` below it. */
  dataDir: string;
  /** The mint of the chain's USDC, base58. */
  usdcMint: string;
  /** HTTP; WebSocket is one above. 0 picks two free ones. */
  port?: number;
  slotMs?: number;
  /** How many slots the finalized slot is behind: with 8, a transaction is final after 3 seconds. */
  finalityLagSlots?: number;
  /** The built `main.ts`; by default beside the built server. */
  scriptPath?: string;
}

export interface SolanaProcess extends Omit<Child<unknown>, "ready"> {
  /** JSON-RPC over HTTP; WebSocket is one port above. */
  url: string;
  /** Unique to this sandbox. */
  genesisHash: string;
  faucetAddress: string;
  /** 64 bytes. It may mint and freeze this chain's USDC. */
  faucetSecretKey: Uint8Array;
  /** Sends test USDC, in base units, by a real transaction; resolves with its signature. The token account is created when missing. */
  faucet(owner: string, units: bigint): Promise<string>;
  /** Sends test SOL, for fees. */
  airdrop(address: string, lamports: bigint): Promise<string>;
}

const START_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 10_000;

const readyLine = z.object({ port: z.int(), genesisHash: z.string(), faucetAddress: z.string(), faucetSecretKey: z.string().length(128) });

/**
 * Starts the chain on 127.0.0.1 from its last state. It ends with this process, however that ends.
 * @throws Error when it cannot start: a port is taken, the journal is damaged or in use, or the script is missing
 */
export async function startSolanaProcess(options: SolanaProcessOptions): Promise<SolanaProcess> {
  const { dataDir, usdcMint, port = 0, slotMs = 400, finalityLagSlots = 8 } = options;
  const scriptPath = options.scriptPath ?? fileURLToPath(new URL("./solana-chain.mjs", import.meta.url));
  const { ready, ...child } = await startChild({
    name: "Solana chain",
    command: process.execPath,
    args: [
      "--max-semi-space-size=2",
      scriptPath,
      `--path=${join(dataDir, "chains", "solana.journal")}`,
      `--usdc-mint=${usdcMint}`,
      `--port=${port}`,
      `--slot-ms=${slotMs}`,
      `--finality-lag=${finalityLagSlots}`,
    ],
    endsWithStdin: true,
    readReady: readReadyLine,
    readyTimeoutMs: START_TIMEOUT_MS,
  });
  const url = `http://127.0.0.1:${ready.port}`;
  return {
    url,
    genesisHash: ready.genesisHash,
    faucetAddress: ready.faucetAddress,
    faucetSecretKey: Buffer.from(ready.faucetSecretKey, "hex"),
    faucet: (owner, units) => requestUsdc(url, owner, units),
    airdrop: (address, lamports) => callSolana(url, "requestAirdrop", [address, Number(lamports)]),
    ...child,
  };
}

export interface SolanaChainOptions extends SolanaProcessOptions {
  /** Called with the chain's URL, at the start and whenever it changes. */
  onUrl?: (url: string) => void;
}

export interface SolanaChain extends Pick<SolanaProcess, "genesisHash" | "faucet" | "airdrop"> {
  usdcMint: string;
  /** The chain's current or last URL. WebSocket is one port above. */
  url: () => string;
  /** False while the process is down. */
  isWell: () => boolean;
  /** Null while the process is down. */
  pid: () => number | null;
  stop: () => Promise<void>;
}

/** Like `startSolanaProcess`, and starts it again when it ends. */
export async function startSolanaChain({ onUrl, ...options }: SolanaChainOptions): Promise<SolanaChain> {
  const startAt = (port: number) => startSolanaProcess({ ...options, port });
  const kept = await keepNodeRunning("Solana chain", { port: options.port, onUrl }, startAt);
  return {
    usdcMint: options.usdcMint,
    genesisHash: kept.running().genesisHash,
    url: kept.url,
    isWell: () => kept.current() !== null,
    pid: () => kept.current()?.pid ?? null,
    faucet: async (owner, units) => kept.running().faucet(owner, units),
    airdrop: async (address, lamports) => kept.running().airdrop(address, lamports),
    stop: kept.stop,
  };
}

/** Like `faucet`, for the chain at `url`: any process can call it. */
export const requestUsdc = (url: string, owner: string, units: bigint): Promise<string> =>
  callSolana(url, "sandbox_requestUsdc", [owner, units.toString()]);

const textAnswer = z.union([z.object({ result: z.string() }), z.object({ error: z.object({ message: z.string() }) })]);

/** Calls a method whose result is a text. @throws Error when the chain is down or refuses */
export async function callSolana(url: string, method: string, params: readonly unknown[] = []): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const answer = textAnswer.parse(await response.json());
  if ("error" in answer) throw new Error(`The sandbox's Solana chain refused: ${answer.error.message}`);
  return answer.result;
}

function readReadyLine(line: string): z.output<typeof readyLine> | undefined {
  if (!line.startsWith("{")) return undefined;
  const parsed = readyLine.safeParse(JSON.parse(line));
  return parsed.success ? parsed.data : undefined;
}
