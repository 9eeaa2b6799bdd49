// Counts tokens in a thread of its own, one job at a time: no text that a stranger sent holds the main loop up. It is started for the first
// job and ends after a minute without any, which frees its 60 MB. It fails no charge: a job that cannot be counted in time is null.

import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import type { CountJob, TokenCount } from "./count";
import { type CountingThread, findCountingBundle, startCountingThread } from "./counting-thread";
import { takeSample } from "./sample";

export interface CounterOptions {
  /** The bundle of the thread; null to count on the main loop. */
  bundle: string | null;
  /** How long a job may take. */
  jobTimeoutMs: number;
  /** How much longer the first job of a thread may take, which loads a tokenizer. */
  startTimeoutMs: number;
  /** How long a job may wait for those before it. */
  waitTimeoutMs: number;
  /** How long the thread lives without work. */
  idleMs: number;
  /** Jobs that wait, of all accounts and of one: nobody fills it for the others. */
  maxWaiting: number;
  maxWaitingOfOne: number;
}

/** A job may be a quarter of a million hostile characters, which take a second. */
const options: Omit<CounterOptions, "bundle"> = {
  jobTimeoutMs: 3_000,
  startTimeoutMs: 7_000,
  waitTimeoutMs: 5_000,
  idleMs: 60_000,
  maxWaiting: 64,
  maxWaitingOfOne: 4,
};

/** The count of a group of texts. */
export interface GroupCount extends TokenCount {
  /** False where a sample was counted in its place. */
  isWhole: boolean;
}

export interface Counts {
  groups: readonly GroupCount[];
  tools: TokenCount;
}

interface Waiting {
  job: CountJob;
  /** Whose job it is. */
  owner: string | undefined;
  timer: NodeJS.Timeout;
  resolve: (counts: TokenCount[] | null) => void;
}

/** On the main loop a job runs in slices, which hold nobody up: it may take as long as a busy machine makes it. */
const JOB_TIMEOUT_ON_MAIN_LOOP_MS = 30_000;

const counter = processSingleton("token counter", () => {
  const bundle = findCountingBundle();
  return new TokenCounter({ bundle, ...options, ...(bundle === null && { jobTimeoutMs: JOB_TIMEOUT_ON_MAIN_LOOP_MS }) });
});

/** The counter of this process. Null: count otherwise. */
export const countTokens = (job: CountJob, owner: string | undefined): Promise<Counts | null> => counter().count(job, owner);

/** For a process that ends. */
export const stopCounting = (): void => counter().close();

export class TokenCounter {
  readonly #options: CounterOptions;
  readonly #waiting: Waiting[] = [];
  #running: Waiting | undefined;
  #thread: CountingThread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastOwner: string | undefined;
  #isClosed = false;

  constructor(options: CounterOptions) {
    this.#options = options;
  }

  /** `owner` is the account whose texts they are. Null when there is too much to count, or the thread failed. */
  async count(job: CountJob, owner: string | undefined): Promise<Counts | null> {
    const { maxWaiting, maxWaitingOfOne } = this.#options;
    if (this.#isClosed) return giveUp("the process ends");
    const ofOwner = this.#waiting.reduce((sum, other) => sum + (other.owner === owner ? 1 : 0), 0);
    if (this.#waiting.length >= maxWaiting || ofOwner >= maxWaitingOfOne) return giveUp("too much is waiting to be counted");
    const samples = job.groups.map((texts) => takeSample(texts, Math.random));
    const counts = await this.#submit({ ...job, groups: samples.map(({ texts }) => texts) }, owner);
    if (counts === null) return null;
    return {
      groups: samples.map(({ isWhole, scale }, index) => ({ isWhole, ...scale(counts[index] ?? nothing) })),
      tools: counts.at(-1) ?? nothing,
    };
  }

  /** Ends the thread; the job that it was counting returns null. The next job starts another. */
  end(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.end();
    clearTimeout(this.#idle);
    if (this.#running) this.#finish(giveUp("it took too long"));
  }

  /** Counts no more, for a process that ends: waiting jobs, and the running one, return null at once. */
  close(): void {
    this.#isClosed = true;
    for (const { timer, resolve } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      resolve(giveUp("the process ends"));
    }
    this.end();
    clearTimeout(this.#idle);
  }

  #submit(job: CountJob, owner: string | undefined): Promise<TokenCount[] | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#leave(waiting), this.#options.waitTimeoutMs);
      const waiting: Waiting = { job, owner, timer, resolve };
      this.#waiting.push(waiting);
      this.#runNext();
    });
  }

  #leave(waiting: Waiting): void {
    const place = this.#waiting.indexOf(waiting);
    if (place !== -1) this.#waiting.splice(place, 1);
    waiting.resolve(giveUp("the jobs before it took too long"));
  }

  #runNext(): void {
    if (this.#running) return;
    const next = this.#takeNext();
    clearTimeout(this.#idle);
    if (!next) {
      this.#idle = setTimeout(() => this.end(), this.#options.idleMs).unref();
      return;
    }
    clearTimeout(next.timer);
    const { jobTimeoutMs, startTimeoutMs } = this.#options;
    next.timer = setTimeout(() => this.end(), this.#thread ? jobTimeoutMs : startTimeoutMs + jobTimeoutMs);
    this.#running = next;
    try {
      this.#thread ??= this.#startThread();
      this.#thread.count(next.job);
    } catch (error) {
      log().error({ err: error }, "the thread that counts tokens could not be started");
      this.end();
    }
  }

  /** In turn: the owner served last comes after the others. */
  #takeNext(): Waiting | undefined {
    const other = this.#waiting.findIndex(({ owner }) => owner !== this.#lastOwner);
    const [next] = this.#waiting.splice(Math.max(other, 0), 1);
    this.#lastOwner = next?.owner;
    return next;
  }

  /** Reports of a thread that was ended are ignored: its job is gone. */
  #startThread(): CountingThread {
    const thread: CountingThread = startCountingThread(this.#options.bundle, {
      onCounts: (counts) => {
        if (this.#thread === thread) this.#finish(counts);
      },
      onEnd: (cause) => {
        if (this.#thread !== thread) return;
        log().error({ err: cause ?? undefined }, "the thread that counts tokens failed");
        this.end();
      },
    });
    return thread;
  }

  #finish(counts: TokenCount[] | null): void {
    const running = this.#running;
    this.#running = undefined;
    if (running) {
      clearTimeout(running.timer);
      running.resolve(counts);
    }
    this.#runNext();
  }
}

const nothing: TokenCount = { ascii: 0, beyondAscii: 0 };

function giveUp(reason: string): null {
  log().warn({ reason }, "tokens were not counted: a rougher estimate takes their place");
  return null;
}
