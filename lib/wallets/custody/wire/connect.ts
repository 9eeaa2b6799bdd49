// The connection of a process with the jobs role to the signer's socket. It comes back by itself after the signer was away; meanwhile every
// order is refused at once, so that nothing waits for it.

import { connect, type Socket } from "node:net";
import { z } from "zod";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { baseChainId } from "@/lib/chains/evm/base";
import { SignerUnavailable } from "@/lib/relay/signer-unavailable";
import type { Identity } from "./forms";
import { parseFrame, readFrames, writeFrame } from "./frames";
import { ask, type Exchange, WireSigner } from "./wire-signer";

const RECONNECT_EVERY_MS = 1_000;
/** An order of a contract wallet, or on Solana, asks nodes. */
const ANSWER_WITHIN_MS = 20_000;
/** For saying who it is, the signer needs nothing but itself. */
const IDENTIFY_WITHIN_MS = 5_000;

const idForm = z.object({ id: z.int() });

interface Waiting {
  resolve: (frame: string) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

export type PublicHalf = Omit<Identity, "serviceName" | "chainId">;

export interface SignerConnection {
  signer: WireSigner;
  /** False while the signer cannot be reached, or is another one. */
  isWell: () => boolean;
  stop: () => void;
}

/**
 * Connects to the signer at `path`. When it is away, `known` says who it is: the database's record of its seed.
 * @throws SignerUnavailable when it is away and nothing is known
 */
export async function connectSigner(
  path: string,
  known: () => Promise<PublicHalf | null>,
  answerWithinMs = ANSWER_WITHIN_MS,
): Promise<SignerConnection> {
  const link = new Link(path, answerWithinMs);
  const identity = await link.open().catch(async (error: unknown) => {
    const half = await known();
    if (half === null) throw error;
    log().error({ reason: link.reason }, "started without the signer: payouts, sweeps and settlements wait for it");
    return half;
  });
  link.expect(identity);
  return {
    signer: new WireSigner((id, frame) => link.exchange(id, frame), identity),
    isWell: () => link.isOpen(),
    stop: () => link.close(),
  };
}

class Link {
  /** Why it is not open. */
  reason = "it has not been reached yet";
  readonly #path: string;
  readonly #answerWithinMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #socket: Socket | null = null;
  #opening: Promise<Identity> | null = null;
  #expected: PublicHalf | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, answerWithinMs: number) {
    this.#path = path;
    this.#answerWithinMs = answerWithinMs;
  }

  isOpen(): boolean {
    return this.#socket !== null;
  }

  /** From now on only this signer is spoken to, and the connection is opened again whenever it is lost. */
  expect(identity: PublicHalf): void {
    this.#expected = identity;
    this.#timer = setInterval(() => {
      if (!this.isOpen()) this.open().catch(() => undefined); // its reason is logged
    }, RECONNECT_EVERY_MS).unref();
  }

  /** @throws SignerUnavailable */
  open(): Promise<Identity> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<Identity> {
    const socket = await this.#connect();
    try {
      const identity = await this.#identify(socket);
      this.#check(identity);
      if (socket.destroyed) throw new SignerUnavailable("it has closed the connection");
      this.#socket = socket;
      if (this.#expected) log().info({ fingerprint: identity.fingerprint }, "the signer is reached again");
      return identity;
    } catch (error) {
      socket.destroy();
      throw this.#fail(error instanceof Error ? error.message : "it gives no answer");
    }
  }

  #connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#path);
      socket.on("error", (error: NodeJS.ErrnoException) => {
        reject(this.#fail(`nothing answers at SIGNER_SOCKET ${this.#path} (${error.code ?? "unknown"}): start it with npm run signer`));
      });
      socket.on("connect", () => {
        readFrames(socket, (frame) => this.#receive(frame));
        resolve(socket);
      });
      socket.on("close", () => this.#lose(socket));
    });
  }

  /** @throws Error that says what differs */
  #check({ serviceName, chainId, ...identity }: Identity): void {
    const { SERVICE_NAME } = config();
    if (serviceName !== SERVICE_NAME) throw new Error(`it runs with SERVICE_NAME=${serviceName} and this process with ${SERVICE_NAME}`);
    if (chainId !== baseChainId())
      throw new Error(`it signs for chain ${chainId} and this process for ${baseChainId()}: set BASE_CHAIN_ID`);
    if (this.#expected?.fingerprint === identity.fingerprint && this.#expected.relayer !== identity.relayer) {
      throw new Error(`its relayer is ${identity.relayer} now (RELAYER_INDEX): restart this process to use that one`);
    }
    if (this.#expected && JSON.stringify(halfOf(identity)) !== JSON.stringify(halfOf(this.#expected))) {
      throw new Error(`it holds the seed ${identity.fingerprint}, not ${this.#expected.fingerprint}: correct its CUSTODY_SEED_FILE`);
    }
  }

  #fail(reason: string): SignerUnavailable {
    if (reason !== this.reason) log().error({ reason }, "the signer cannot be used");
    this.reason = reason;
    return new SignerUnavailable(reason);
  }

  /** @throws SignerUnavailable */
  exchange: Exchange = async (id, frame) => {
    const socket = this.#socket;
    if (!socket) throw new SignerUnavailable(this.reason);
    try {
      return await this.#exchangeOn(socket, { id, frame, withinMs: this.#answerWithinMs });
    } catch (error) {
      void this.#probe(socket);
      throw error;
    }
  };

  /** One late answer fails its own order. The connection is closed only when the signer answers nothing any more. */
  async #probe(socket: Socket): Promise<void> {
    if (socket.destroyed) return;
    await this.#identify(socket).catch(() => socket.destroy());
  }

  #identify(socket: Socket): Promise<Identity> {
    return ask((id, frame) => this.#exchangeOn(socket, { id, frame, withinMs: IDENTIFY_WITHIN_MS }), "identify", {});
  }

  #exchangeOn(socket: Socket, { id, frame, withinMs }: { id: number; frame: string; withinMs: number }): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new SignerUnavailable(`it did not answer within ${withinMs / 1_000} seconds`));
      }, withinMs).unref();
      this.#waiting.set(id, { resolve, reject, timer });
      writeFrame(socket, frame);
    });
  }

  #receive(frame: string): void {
    const read = idForm.safeParse(parseFrame(frame));
    const waiting = read.success ? this.#waiting.get(read.data.id) : undefined;
    if (!waiting || !read.success) return;
    this.#waiting.delete(read.data.id);
    clearTimeout(waiting.timer);
    waiting.resolve(frame);
  }

  #lose(socket: Socket): void {
    if (this.#socket !== null && this.#socket !== socket) return;
    if (this.#socket === socket) this.#fail("the connection to it was lost");
    this.#socket = null;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new SignerUnavailable("the connection to it was lost before its answer"));
    }
    this.#waiting.clear();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket?.destroy();
  }
}

const halfOf = ({ fingerprint, xpub, usdcMint, treasury, relayer, sponsor }: PublicHalf) => [
  ...[fingerprint, xpub, usdcMint, treasury.base, treasury.solana, relayer, sponsor],
];
