// A provider's answer read whole, for calls that are no stream: its chunks are gathered as they come, without a stream in between.

import { type Dispatcher, util } from "undici";
import type { CallBudget } from "./budget";
import type { ProviderFailure } from "./types";
import { brokenOff } from "./wire-body";

export interface WholeAnswer {
  status: number;
  /** As they came, names and values in turn; see `readHeaders`. */
  headers: Buffer[];
  text: string;
  /** True when the body was longer than its limit: `text` is its beginning, and the connection was closed. */
  cut: boolean;
}

export interface WholeReading {
  budget: CallBudget;
  /** Told the status and the raw headers as soon as they are there; returns the most bytes of body that are wanted. */
  onHead: (status: number, headers: Buffer[]) => number;
  /** Told once when the answer begins, or never will. */
  onBegun: () => void;
  /** Makes the failure of an answer that never began. */
  notBegun: (error: Error) => ProviderFailure;
}

/** Sends a request and reads its answer. @throws ProviderFailure the budget's reason once it is stopped, else what went wrong */
export const readWholeAnswer = (dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, reading: WholeReading): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new AnswerReader(reading, { resolve, reject }));
  });

interface Waiter {
  resolve: (answer: WholeAnswer) => void;
  reject: (failure: ProviderFailure) => void;
}

/**
 * The methods that undici itself calls. Those which its documentation prefers are called by way of an object that it makes for each
 * request, and it reads every header for them; here all headers are read only when an answer is a refusal.
 */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #reading: WholeReading;
  readonly #waiter: Waiter;
  readonly #chunks: Buffer[] = [];
  #abort: ((reason?: Error) => void) | undefined;
  /** Why nobody waits for this answer any more; by now the budget may be that of another route. */
  #leftFor: ProviderFailure | undefined;
  /** 0 until the answer has begun. */
  #status = 0;
  #headers: Buffer[] = [];
  #limit = 0;
  #bytes = 0;

  constructor(reading: WholeReading, waiter: Waiter) {
    this.#reading = reading;
    this.#waiter = waiter;
    reading.budget.on("abort", this.#onAbort);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    // It may have waited for a free connection until after the caller gave up.
    if (this.#leftFor) abort(this.#leftFor);
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    if (status < 200) return true;
    this.#reading.onBegun();
    this.#status = status;
    this.#headers = headers;
    this.#limit = this.#reading.onHead(status, headers);
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#limit) return true;
    this.#end(true);
    this.#abort?.(new Error("the answer is longer than anybody wants"));
    return true;
  }

  onComplete(): void {
    this.#end(false);
  }

  onError(error: Error): void {
    const { budget, onBegun, notBegun } = this.#reading;
    budget.removeListener("abort", this.#onAbort);
    if (this.#status === 0) onBegun();
    this.#waiter.reject(this.#leftFor ?? (this.#status === 0 ? notBegun(error) : brokenOff(error)));
  }

  readonly #onAbort = (): void => {
    const { budget } = this.#reading;
    budget.removeListener("abort", this.#onAbort);
    this.#leftFor = budget.reason as ProviderFailure;
    this.#waiter.reject(this.#leftFor);
    this.#abort?.(this.#leftFor);
  };

  #end(cut: boolean): void {
    this.#reading.budget.removeListener("abort", this.#onAbort);
    if (this.#status === 0) {
      this.#waiter.reject(brokenOff(undefined));
      return;
    }
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#waiter.resolve({ status: this.#status, headers: this.#headers, text: whole.toString("utf8", 0, this.#limit), cut });
  }
}

/** The headers of an answer by their names in lower case. */
export const readHeaders = ({ headers }: Pick<WholeAnswer, "headers">): Record<string, string | string[]> => util.parseHeaders(headers);
