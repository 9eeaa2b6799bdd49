// Settling in a process without the relayer: one that has it is told of the claim, and writes into the claim what became of it.

import { setTimeout as sleep } from "node:timers/promises";
import { pool } from "@/lib/db/pool";
import { getClaim, type PaymentClaim } from "../claims/claim";
import { type Settled, settledAs } from "./outcome";

/** The channel on which processes with the relayer hear of claims. */
export const PAYMENTS_CHANNEL = "payments";

const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;
/** A notice is lost when nobody listens at that moment. */
const TELL_EVERY_MS = 1_000;

/** Waits until `run.untilMs`, which may move. */
export async function settleElsewhere({ id }: PaymentClaim, run: { readonly untilMs: number }): Promise<Settled> {
  let toldMs = -Infinity;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    if (performance.now() - toldMs >= TELL_EVERY_MS) {
      await pool().query("SELECT pg_notify($1, $2)", [PAYMENTS_CHANNEL, id]);
      toldMs = performance.now();
    }
    const claim = await getClaim(id);
    const settled = settledAs(claim) ?? seen(claim);
    const leftMs = run.untilMs - performance.now();
    if (settled !== null) return settled;
    if (leftMs <= 0) return { kind: "pending" };
    await sleep(Math.min(pauseMs, leftMs));
  }
}

/** It is on its chain; whoever waits has it credited with its hold. */
const seen = ({ transaction, block }: PaymentClaim): Settled | null =>
  transaction !== null && block !== null ? { kind: "paid", transaction, block } : null;
