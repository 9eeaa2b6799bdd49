// What the books must contain after a crash, request by request and in total.

import type pg from "pg";
import { expect } from "vitest";
import { type Asked, bodyOf, type DurabilityLoad } from "./durability-load";

interface Found {
  request: string;
  holds: number;
  charges: number;
  /** Nano-USD, over all its charges. */
  paid: bigint;
  loss: bigint;
  claim: "open" | "saved" | null;
  body: string | null;
}

const findRequests = `
  SELECT r.id AS request, (SELECT count(*)::integer FROM hold h WHERE h.request_id = r.id) AS holds,
    c.charges, c.paid, c.loss, CASE WHEN i.status IS NOT NULL THEN 'saved' WHEN i.request_id IS NOT NULL THEN 'open' END AS claim, i.body
  FROM unnest($1::text[], $2::text[]) r(id, account)
  CROSS JOIN LATERAL (
    SELECT count(*)::integer AS charges, coalesce(sum(c.input_cost + c.output_cost), 0)::bigint AS paid,
      coalesce(sum(c.operator_loss), 0)::bigint AS loss
    FROM charge c WHERE c.account_id = r.account AND c.request_id = r.id
  ) c
  LEFT JOIN idempotent_reply i ON i.request_id = r.id`;

/**
 * Checks all requests while nothing is written, marks acknowledged holds as survived or forgotten, and returns the requests whose books
 * differ from what their clients were told.
 */
export async function findWrong(books: pg.Pool, { asked: all }: Pick<DurabilityLoad, "asked">): Promise<string[]> {
  const requests = [...all]; // more are added meanwhile
  const values = [requests.map(({ hold }) => hold.requestId), requests.map(({ hold }) => hold.accountId)];
  const { rows } = await books.query<Found>(findRequests, values);
  const found = new Map(rows.map((row) => [row.request, row]));
  return requests.flatMap((asked) => {
    const row = found.get(asked.hold.requestId);
    const wrong = row ? whatIsWrong(asked, row) : "was not looked for";
    return wrong
      ? [
          `${asked.hold.requestId}, ${asked.state}: ${wrong}, ${JSON.stringify(row, (_, value) => (typeof value === "bigint" ? `${value}` : value))}`,
        ]
      : [];
  });
}

function whatIsWrong(asked: Asked, found: Found): string | null {
  if (found.holds + found.charges > 1) return "it is there twice";
  if (found.charges === 1 && asked.state !== "ending" && asked.state !== "ended") return "it was charged before its answer";
  if (found.charges === 1) return whatIsWrongWithCharge(asked, found);
  switch (asked.state) {
    case "refused":
      return found.holds > 0 || found.claim ? "it was refused and is held" : null;
    case "ended":
      if (asked.cost) return "its charge was acknowledged and is gone";
      return found.holds > 0 || found.claim ? "its release was acknowledged and is gone" : null;
    case "held":
    case "ending":
      return whatIsWrongWithHold(asked, found);
    default:
      return null;
  }
}

function whatIsWrongWithCharge({ hold, cost, settled }: Asked, { paid, loss, claim, body }: Found): string | null {
  if (!cost) return "it was released and is charged";
  if (paid + loss !== cost.input + cost.output) return "its cost is neither paid nor the operator's loss";
  if (paid > hold.ceiling) return "it paid more than its ceiling";
  if (settled && paid !== settled.inputCost + settled.outputCost) return "it was charged another amount than was acknowledged";
  if (hold.claim && (claim !== "saved" || body !== bodyOf(hold))) return "its answer is not kept";
  return null;
}

function whatIsWrongWithHold(asked: Asked, { holds, claim }: Found): string | null {
  const mayHaveEnded = asked.state === "ending" && !asked.cost;
  if (holds === 0 && asked.afterCrash === "survived" && !mayHaveEnded) return "it survived a crash and is gone";
  if (holds === 1) asked.afterCrash = "survived";
  if (asked.hold.claim) {
    if (holds === 1 ? claim === "open" : mayHaveEnded && claim === null) return null;
    return "its claim was acknowledged and is gone";
  }
  if (holds === 0 && !mayHaveEnded) asked.afterCrash = "forgotten";
  return null;
}

const findViolations = `
  SELECT invariant || ' ' || subject AS text FROM ledger_check(now())
  UNION ALL SELECT 'below zero: ' || a.id FROM ledger_account a WHERE a.kind = 'customer' AND (a.posted < 0 OR a.held < 0 OR a.posted < a.held)
  UNION ALL
    SELECT 'beyond its cap: ' || c.key_id FROM charge c JOIN api_key k ON k.id = c.key_id WHERE k.cap_nano_usd IS NOT NULL
    GROUP BY c.key_id, c.period, c.period_start, k.cap_nano_usd HAVING sum(c.input_cost + c.output_cost) > k.cap_nano_usd
  UNION ALL SELECT 'credit is gone: ' || w.id FROM unnest($1::text[]) w(id) WHERE NOT EXISTS (SELECT FROM transfer t WHERE t.id = w.id)
  UNION ALL SELECT 'expired: ' || e.request_id FROM expired_hold e`;

/** Checks balances, caps, acknowledged credits, the ledger's own proof, and that no hold was left to the reaper. */
export async function expectSoundBooks(books: pg.Pool, { credits, faults }: Pick<DurabilityLoad, "credits" | "faults">): Promise<void> {
  const { rows } = await books.query<{ text: string }>(findViolations, [credits]);
  expect(rows.map(({ text }) => text)).toEqual([]);
  expect(faults).toEqual([]);
}

export interface Counts {
  kills: number;
  killsThatForgot: number;
  holdsForgotten: number;
  /** Number of charged requests, of late ones among them, and what the operator lost with the late ones, nano-USD. */
  charged: number;
  late: number;
  lateLoss: bigint;
  released: number;
  unknown: number;
  claims: number;
  credits: number;
}

export function countRequests({ asked, credits }: DurabilityLoad): Omit<Counts, "kills" | "killsThatForgot"> {
  const ended = asked.filter(({ state }) => state === "ended");
  const late = ended.filter(({ settled }) => settled?.outcome === "late");
  const lossOf = ({ hold, cost, settled }: Asked) => {
    const due = (cost?.input ?? 0n) + (cost?.output ?? 0n);
    // The part above the ceiling is lost in any case.
    return (due < hold.ceiling ? due : hold.ceiling) - (settled?.inputCost ?? 0n) - (settled?.outputCost ?? 0n);
  };
  return {
    holdsForgotten: asked.filter(({ afterCrash }) => afterCrash === "forgotten").length,
    charged: ended.filter(({ cost }) => cost).length,
    late: late.length,
    lateLoss: late.reduce((sum, one) => sum + lossOf(one), 0n),
    released: ended.filter(({ cost }) => !cost).length,
    unknown: asked.filter(({ state }) => state === "unknown").length,
    claims: asked.filter(({ hold, state }) => hold.claim && state === "ended").length,
    credits: credits.length,
  };
}
