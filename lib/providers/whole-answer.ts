// A provider's answer read whole, for calls that are no stream: its chunks are gathered as they come, without a stream in between.

import type { Dispatcher } from "undici";
import type { CallBudget } from "./budget";
import type { ProviderFailure } from "./types";
import { brokenOff } from "./wire-body";

export interface WholeAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** True when the body was longer than its limit: `text` is its beginning, and the connection was closed. */
  cut: boolean;
}

interface Reading {
  budget: CallBudget;
  /** Told the status as soon as it is there; returns the most bytes of body that are wanted. */
  onStatus: (status: number) => number;
  /** Told once when the answer begins, or never will. */
  onBegun: () => void;
  /** Makes the failure of an answer that never began. */
  notBegun: (error: Error) => ProviderFailure;
}

/** Sends a request and reads its answer. @throws ProviderFailure the budget's reason once it is stopped, else what went wrong */
export function readWholeAnswer(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, reading: Reading): Promise<WholeAnswer> {
  const { budget, onStatus, onBegun, notBegun } = reading;
  return new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | undefined;
    let answer: Pick<WholeAnswer, "status" | "headers"> | undefined;
    let limit = 0;
    let bytes = 0;
    const chunks: Buffer[] = [];
    const onAbort = () => {
      const reason = budget.reason as ProviderFailure;
      reject(reason);
      request?.abort(reason);
    };
    const end = (cut: boolean) => {
      budget.removeListener("abort", onAbort);
      if (!answer) return reject(brokenOff(undefined));
      const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      resolve({ text: whole.toString("utf8", 0, limit), cut, ...answer });
    };
    budget.once("abort", onAbort);
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        request = controller;
        // It may have waited for a free connection until after the caller gave up.
        if (budget.reason) controller.abort(budget.reason);
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return;
        onBegun();
        answer = { status, headers };
        limit = onStatus(status);
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= limit) return;
        end(true);
        controller.abort(new Error("the answer is longer than anybody wants"));
      },
      onResponseEnd: () => end(false),
      onResponseError(_controller, error) {
        budget.removeListener("abort", onAbort);
        if (!answer) onBegun();
        reject(budget.reason ?? (answer ? brokenOff(error) : notBegun(error)));
      },
    });
  });
}
