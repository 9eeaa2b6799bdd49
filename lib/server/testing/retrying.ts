// Clients that give each question its own Idempotency-Key and retry it until it is answered, whatever happens to the service.

import { setTimeout as sleep } from "node:timers/promises";
import { type PromptAnswer, requestWhole, type Target } from "./requests";

const RETRY_EVERY_MS = 50;

export interface RetriedAnswer {
  key: string;
  answer: PromptAnswer;
  /** Monotonic milliseconds: when it was first sent, and when it was answered. */
  askedAt: number;
  answeredAt: number;
  /** What each failed try returned: a status, or null when the connection broke. */
  failures: (number | null)[];
}

export interface RetryingClients {
  /** All answers so far. */
  answered: readonly RetriedAnswer[];
  /** Resolves when every question has its answer. */
  stop: () => Promise<void>;
  /** Ends at once, without the missing answers: for a test that failed. */
  abandon: () => void;
}

let lastKey = 0;

/** Starts `count` clients; `target` returns where the service is now. */
export function startRetryingClients(count: number, target: () => Target, prompt: string): RetryingClients {
  const answered: RetriedAnswer[] = [];
  let stopping = false;
  const abandoned = new AbortController();
  const work = async () => {
    while (!stopping) {
      const answer = await requestUntilAnswered(target, prompt, `key ${++lastKey}`, abandoned.signal);
      if (answer) answered.push(answer);
    }
  };
  const clients = Promise.all(Array.from({ length: count }, work));
  return {
    answered,
    stop: async () => {
      stopping = true;
      await clients;
    },
    abandon: () => {
      stopping = true;
      abandoned.abort();
    },
  };
}

async function requestUntilAnswered(
  target: () => Target,
  prompt: string,
  key: string,
  abandoned: AbortSignal,
): Promise<RetriedAnswer | undefined> {
  const askedAt = performance.now();
  const failures: (number | null)[] = [];
  while (!abandoned.aborted) {
    const answer = await requestWhole(target(), prompt, {}, { "idempotency-key": key }).catch(() => null);
    if (answer?.status === 200) return { key, answer, askedAt, answeredAt: performance.now(), failures };
    failures.push(answer?.status ?? null);
    await sleep(RETRY_EVERY_MS);
  }
  return undefined;
}
