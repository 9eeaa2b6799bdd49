// Load for a database that is killed repeatedly: waves of requests through the product's own path, like those of clients and providers, and
// credits at the same time. It continues while the database is down. Acknowledged results are kept, so that tests can check them.

import { setTimeout as sleep } from "node:timers/promises";
import { type AccountId, type KeyId, newRequestId, randomBase62 } from "@/lib/base/ids";
import { isStatementError } from "@/lib/db/failure";
import { commit } from "@/lib/gateway/prompt/commit";
import type { Settled, Settlement } from "../commit/codec";
import { isRefusal, settleHold } from "../commit/commit";
import type { Hold } from "../holds";
import { placeHold } from "../place-hold";
import { releaseOf, settleLater } from "../waiting-settlements";
import { credit } from "./fund";
import { chargeOf, newHold } from "./holding";

export interface Purse {
  account: AccountId;
  key: KeyId | null;
  /** The highest ceiling that its requests use. */
  ceiling: number;
}

/** One request, as its client knows it. */
export interface Asked {
  hold: Hold;
  /** The cost of its answer; null when it is released. */
  cost: { input: bigint; output: bigint } | null;
  /** unknown: the connection broke before the hold was acknowledged. ending: the end is not acknowledged yet. */
  state: "asked" | "unknown" | "refused" | "held" | "ending" | "ended";
  /** Other outcomes than `held`. */
  refusal: string | null;
  settled: Settled | null;
  /** What a check of the books after a crash found of an acknowledged hold. */
  afterCrash: "survived" | "forgotten" | null;
}

export interface DurabilityLoad {
  asked: Asked[];
  /** Names of acknowledged credits. */
  credits: string[];
  /** Errors that must never happen. */
  faults: unknown[];
  /** The account that gets money from time to time. */
  creditTo: AccountId | null;
  /** The purses of the next wave's requests; one purse may be listed several times. */
  purses: readonly Purse[];
  /** Starts a wave with this share of idempotency keys; requests that have not ended after a second overlap with the next wave. */
  wave: (claims: number) => Promise<void>;
  /** Resolves when all requests and credits are done. */
  idle: () => Promise<void>;
}

/** Holds come within this time, and each answer this much after its hold: for a while there are only holds. */
const PLACED_WITHIN_MS = 90;
const ANSWER_AFTER_MS = 90;
const ANSWER_WITHIN_MS = 150;
const WAVE_MS = 1_000;
/** For an idempotency key whose first request has an unknown outcome. */
const MAX_PATIENCE_MS = 20_000;

export function createLoad(draw: () => number): DurabilityLoad {
  const going = new Set<Promise<void>>();
  const load: DurabilityLoad = {
    asked: [],
    credits: [],
    faults: [],
    creditTo: null,
    purses: [],
    async wave(claims) {
      const begun = load.purses.map((purse) => spend(load, planRequest(draw, purse, claims)));
      if (load.creditTo && draw() < 0.3) begun.push(creditOnce(load, load.creditTo, draw() * PLACED_WITHIN_MS));
      for (const one of begun) {
        const work = one.catch((error: unknown) => void load.faults.push(error)).finally(() => going.delete(work));
        going.add(work);
      }
      await Promise.race([Promise.all(going), sleep(WAVE_MS)]);
    },
    async idle() {
      while (going.size > 0) await Promise.all(going);
    },
  };
  return load;
}

interface Plan {
  asked: Asked;
  placeAfterMs: number;
  answerAfterMs: number;
}

function planRequest(draw: () => number, { account, key, ceiling: most }: Purse, claims: number): Plan {
  const ceiling = 1 + Math.floor(draw() * most);
  const idempotency = draw() < claims ? `key ${randomBase62(12)}` : null;
  const kind = draw();
  const isReleased = kind < 0.15;
  const isOverrun = kind > 0.85;
  const cost = BigInt(isOverrun ? ceiling + 3 : Math.ceil(ceiling * (0.5 + draw() / 2)));
  const asked = newAsked({ account, key, ceiling }, idempotency, isReleased ? null : cost);
  return { asked, placeAfterMs: draw() * PLACED_WITHIN_MS, answerAfterMs: ANSWER_AFTER_MS + draw() * ANSWER_WITHIN_MS };
}

/** A request that has not started yet; without a cost it is released. */
export const newAsked = ({ account, key, ceiling }: Purse, idempotency: string | null, cost: bigint | null): Asked => ({
  hold: newHold(account, ceiling, idempotency === null ? { key } : { key, idempotency }),
  cost: cost === null ? null : { input: cost / 3n, output: cost - cost / 3n },
  state: "asked",
  refusal: null,
  settled: null,
  afterCrash: null,
});

async function spend(load: DurabilityLoad, { asked: first, placeAfterMs, answerAfterMs }: Plan): Promise<void> {
  await sleep(placeAfterMs);
  let asked = first;
  for (const patientUntil = performance.now() + MAX_PATIENCE_MS; ; ) {
    load.asked.push(asked);
    await place(asked);
    if (asked.state === "held") break;
    // A client with an Idempotency-Key repeats the request until it has an answer; the previous request's claim is given back meanwhile.
    if (!asked.hold.claim || (asked.state === "refused" && asked.refusal !== "in_progress")) return;
    if (performance.now() > patientUntil) throw new Error(`${asked.hold.requestId}: the claim of the request before was not given back`);
    await sleep(100);
    asked = { ...asked, hold: { ...asked.hold, requestId: newRequestId() }, state: "asked", refusal: null };
  }
  await sleep(answerAfterMs);
  await end(load, asked);
}

/** Places its hold. */
export async function place(asked: Asked): Promise<void> {
  try {
    const { outcome } = await placeHold(commit(), asked.hold);
    asked.state = outcome === "held" ? "held" : "refused";
    if (outcome !== "held") asked.refusal = outcome;
  } catch (error) {
    if (isStatementError(error)) throw error;
    asked.state = "unknown";
  }
}

/** Ends a request as the gateway does: retried while its client waits, and later for as long as the process lives. */
export async function end(load: Pick<DurabilityLoad, "faults">, asked: Asked): Promise<void> {
  asked.state = "ending";
  const settlement = settlementOf(asked);
  const finish = (settled: Settled) => {
    // A settlement is acknowledged once.
    if (asked.state === "ended") load.faults.push(new Error(`${asked.hold.requestId} ended twice`));
    Object.assign(asked, { state: "ended", settled });
  };
  try {
    finish(await settleHold(commit(), settlement));
  } catch (error) {
    if (isRefusal(error)) throw error;
    settleLater(commit(), settlement, finish);
  }
}

const settlementOf = ({ hold, cost }: Asked): Settlement =>
  cost ? chargeOf(hold, cost.input, cost.output, hold.claim ? { body: bodyOf(hold) } : {}) : releaseOf(hold);

/** The answer that a claim keeps. */
export const bodyOf = ({ requestId }: Hold): string => JSON.stringify({ requestId });

async function creditOnce(load: DurabilityLoad, account: AccountId, afterMs: number): Promise<void> {
  const id = `credit ${randomBase62(12)}`;
  await sleep(afterMs);
  for (;;) {
    try {
      await credit(account, 1_000, id);
      load.credits.push(id);
      return;
    } catch (error) {
      if (isStatementError(error)) throw error;
      await sleep(50);
    }
  }
}
