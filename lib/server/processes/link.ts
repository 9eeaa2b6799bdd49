// Messages between the process of a start and its children, over Node's channel. Either side may ask the other a question; both read
// messages by a schema, since a hole in a page could write here.

import { z } from "zod";
import { log } from "@/lib/base/observe/log";

/** The order to begin: the child's parent has opened the database, listens, and runs the simulated models. */
const startOrder = z.object({
  type: z.literal("start"),
  databaseUrl: z.string(),
  baseUrl: z.string(),
  port: z.number().int(),
  /** Where its pages are to listen. */
  socketPath: z.string(),
  models: z.object({ baseUrls: z.record(z.string(), z.string()), apiKey: z.string() }).nullable(),
});

const check = z.object({
  name: z.string().max(64),
  isWell: z.boolean(),
  isVital: z.boolean(),
});

const question = z.enum(["metrics", "status"]);

const message = z.discriminatedUnion("type", [
  startOrder,
  z.object({ type: z.literal("drain") }),
  z.object({ type: z.literal("stop") }),
  /** The child serves. */
  z.object({ type: z.literal("ready") }),
  /** The child could not start. */
  z.object({ type: z.literal("failed"), reason: z.string() }),
  /** Sent regularly: a child that sends none hangs. */
  z.object({ type: z.literal("checks"), checks: z.array(check).max(64) }),
  z.object({ type: z.literal("ask"), id: z.number().int(), question }),
  z.object({ type: z.literal("answer"), id: z.number().int(), answer: z.unknown() }),
]);

export type StartOrder = z.output<typeof startOrder>;
export type ChildCheck = z.output<typeof check>;
export type Question = z.output<typeof question>;
type Message = z.output<typeof message>;

/** A child process, or this process where it is one. */
export interface Channel {
  send?: (message: Message) => unknown;
  on: (event: "message", listener: (message: unknown) => void) => unknown;
}

type Answers = Partial<Record<Question, () => Promise<unknown>>>;

/** More than a status takes whose database does not answer. */
const ANSWER_WITHIN_MS = 4_000;

/** One end of a channel. */
export class Link {
  readonly #channel: Channel;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #lastId = 0;

  /** `answers` answers the other side's questions; `onMessage` gets all else that it sends. */
  constructor(channel: Channel, answers: Answers, onMessage: (message: Message) => void) {
    this.#channel = channel;
    channel.on("message", (given) => {
      const read = message.safeParse(given);
      if (!read.success) return log().error({ problem: z.prettifyError(read.error) }, "a message of another process cannot be read");
      if (read.data.type === "ask") void this.#answer(read.data.id, answers[read.data.question]);
      else if (read.data.type === "answer") this.#take(read.data.id, read.data.answer);
      else onMessage(read.data);
    });
  }

  /** Sends nothing once the other side has gone: its end is reported elsewhere. */
  send(message: Message): void {
    try {
      this.#channel.send?.(message);
    } catch (error) {
      log().debug({ err: error }, "another process did not get a message");
    }
  }

  /** The other side's answer; undefined when it gives none within four seconds. */
  ask(asked: Question): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const late = setTimeout(() => this.#take(id, undefined), ANSWER_WITHIN_MS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(late);
        resolve(answer);
      });
      this.send({ type: "ask", id, question: asked });
    });
  }

  #take(id: number, answer: unknown): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }

  async #answer(id: number, find: (() => Promise<unknown>) | undefined): Promise<void> {
    try {
      this.send({ type: "answer", id, answer: await find?.() });
    } catch (error) {
      log().error({ err: error }, "a question of another process could not be answered");
    }
  }
}
