// The statements that decide holds and settlements: they encode the items and decode the answer. Every answer is one text, a line for each
// item, settlements first. The SQL functions also cover matters above the ledger (keys, idempotency keys), so their names are passed in.

import { nanoUsd } from "@/lib/base/money";
import { type ChargeDetails, dividePaid, type Hold, type HoldDecision, type Settled, type Settlement } from "../holds";
import type { Statement } from "./connections";

/** Names of SQL functions; see prisma/functions/gateway/holds.sql. */
export interface CommitFunctions {
  placeHold: string;
  settleHold: string;
  decideBatch: string;
  decideItems: string;
  expireHolds: string;
  expireOwn: string;
  freeDeadHolds: string;
  confirmHolds: string;
}

export interface Items {
  settlements: readonly Settlement[];
  holds: readonly Hold[];
}

export interface Circumstances {
  at: Date;
  /** When the holds expire. */
  until: Date;
  /** The process that runs the requests. */
  processId: string;
}

/** A statement whose result is one text value. */
export type TextStatement = Statement<string>;

const readText = ([text]: readonly (string | null)[]): string => text ?? "";

const placeholders = (count: number): string => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(", ");

/**
 * Calls a function. A commit of holds alone, none with an idempotency key, does not wait for the disk: PostgreSQL writes it a moment later,
 * in the order of commits, so a settlement always has its hold before it in the log. The setting is a column, since a function in FROM
 * adds a quarter to the time of a single hold.
 */
const call = (name: string, values: readonly unknown[], waitsForDisk: boolean): TextStatement => ({
  name: waitsForDisk ? name : `${name} without waiting for the disk`,
  text: `SELECT ${name}(${placeholders(values.length)})${waitsForDisk ? "" : ", set_config('synchronous_commit', 'off', true)"}`,
  values,
  readRow: readText,
});

/** The driver would write it with this machine's time zone offset, digit by digit. */
const writeTime = (time: Date): string => time.toISOString();

/** Whose cap a hold and its charge count in: its key's, or the one of all sessions of the account. */
const countedAs = ({ keyId, accountId, isUnconfirmed }: Hold): string | null => (isUnconfirmed ? accountId : keyId);

/** Decides one hold. */
export function placeHoldStatement(functions: CommitFunctions, hold: Hold, { at, until, processId }: Circumstances): TextStatement {
  const { requestId, accountId, model, ceiling, claim } = hold;
  const values = [
    requestId,
    accountId,
    countedAs(hold),
    model,
    ceiling,
    claim?.key,
    claim?.bodyHash,
    processId,
    writeTime(at),
    writeTime(until),
  ];
  return call(functions.placeHold, values, claim !== null);
}

/** Settles one hold. */
export function settleHoldStatement(functions: CommitFunctions, settlement: Settlement, { at }: Circumstances): TextStatement {
  const { hold, inputCost, outputCost, charge, reply } = settlement;
  const { requestId, accountId, ceiling, claim } = hold;
  const values = [
    requestId,
    accountId,
    countedAs(hold),
    ceiling,
    inputCost,
    outputCost,
    charge && writeDetails(charge, isKept(settlement)),
  ];
  return call(functions.settleHold, [...values, claim?.key, reply?.status, reply?.body, writeTime(at)], true);
}

/** Decides many items as sets or one by one, depending on the function `name`. */
export function manyStatement(name: string, { settlements, holds }: Items, { at, until, processId }: Circumstances): TextStatement {
  const hasClaims = holds.some(({ claim }) => claim !== null);
  const values = [...settlementValues(settlements), ...holdValues(holds, hasClaims), processId, writeTime(at), writeTime(until)];
  return call(name, values, hasClaims || settlements.length > 0);
}

function holdValues(holds: readonly Hold[], hasClaims: boolean): unknown[] {
  return [
    writePlain(holds, ({ requestId }) => requestId),
    writePlain(holds, ({ accountId }) => accountId),
    writePlain(holds, countedAs),
    writePlain(holds, ({ model }) => writeField(model)),
    writePlain(holds, ({ ceiling }) => ceiling),
    hasClaims ? holds.map(({ claim }) => claim?.key ?? null) : null,
    hasClaims ? holds.map(({ claim }) => claim?.bodyHash ?? null) : null,
  ];
}

function settlementValues(settlements: readonly Settlement[]): unknown[] {
  const hasClaims = settlements.some(({ hold }) => hold.claim !== null);
  return [
    writePlain(settlements, ({ hold }) => hold.requestId),
    writePlain(settlements, ({ hold }) => hold.accountId),
    writePlain(settlements, ({ hold }) => countedAs(hold)),
    writePlain(settlements, ({ hold }) => hold.ceiling),
    writePlain(settlements, ({ inputCost }) => inputCost),
    writePlain(settlements, ({ outputCost }) => outputCost),
    writePlain(settlements, (one) => one.charge && writeField(writeDetails(one.charge, isKept(one)))),
    hasClaims ? settlements.map(({ hold }) => hold.claim?.key ?? null) : null,
    hasClaims ? writePlain(settlements, ({ reply }) => reply && `${reply.status}`) : null,
    hasClaims ? settlements.map(({ reply }) => reply?.body ?? null) : null,
  ];
}

/** Writes an array of elements that need no quotes or already have them: the driver would scan every element for characters to quote. */
function writePlain<Item>(items: readonly Item[], read: (item: Item) => string | bigint | null): string {
  let text = "";
  for (const item of items) text += `${text === "" ? "{" : ","}${read(item) ?? "NULL"}`;
  return text === "" ? "{}" : `${text}}`;
}

/** A field of a composite value or an array element, quoted if necessary. */
const writeField = (value: string | number | boolean | null): string =>
  typeof value !== "string"
    ? `${value ?? ""}`
    : /^[\w.:/@-]+$/.test(value) && value !== "NULL"
      ? value
      : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** The answer is saved under its claim. */
const isKept = ({ hold, reply }: Settlement): boolean => hold.claim !== null && reply !== null;

/** The text of an SQL value of type ledger_charge_details, written field by field: a loop over names would slow every request down. */
function writeDetails(charge: ChargeDetails, kept: boolean): string {
  const { model, provider, providerRequestId, priceVersion, outcome, paidBy } = charge;
  const tokens = `${charge.inputTokens},${charge.outputTokens},${charge.cachedInputTokens},${charge.reasoningTokens}`;
  const flags = `${writeField(outcome)},${charge.streamed},${charge.estimated},${writeField(paidBy)}`;
  const names = `${writeField(model)},${writeField(provider)},${writeField(providerRequestId)},${writeField(priceVersion)}`;
  const kinds = `${charge.cacheWriteTokens},${charge.cacheWrite1hTokens},${charge.imageTokens}`;
  return `(${names},${tokens},${flags},${charge.firstTokenMs ?? ""},${charge.providerMs},${kinds},${charge.unbilled},${kept})`;
}

/** Reads the decision on a hold. @throws Error for an unknown outcome */
export function readHoldDecision(line: string): HoldDecision {
  if (line === "held") return { outcome: "held" };
  const { isTold = true, ...decision } = JSON.parse(line) as { outcome: string; isTold?: boolean } & Record<string, string | null>;
  switch (decision.outcome) {
    case "insufficient":
      return { outcome: decision.outcome, available: nanoUsd(BigInt(decision.available ?? 0)), isTold };
    case "cap_reached": {
      const resetsAt = decision.resetsAt == null ? null : new Date(decision.resetsAt);
      const [cap, spent] = [nanoUsd(BigInt(decision.cap ?? 0)), nanoUsd(BigInt(decision.spent ?? 0))];
      return { outcome: decision.outcome, cap, spent, resetsAt, isTold };
    }
    case "key_unusable":
      return { outcome: decision.outcome, keyState: decision.keyState ?? "unknown" };
    case "account_frozen":
    case "in_progress":
    case "mismatch":
    case "replay":
    case "payer_mismatch":
    case "served":
      return { outcome: decision.outcome };
    default:
      throw new Error(`the ledger decided a hold as "${decision.outcome}"`);
  }
}

/** Reads the result of a settlement. @throws Error for an unknown outcome */
export function readSettled(line: string, { charge, inputCost }: Settlement): Settled {
  if (!line.startsWith("{")) return { outcome: charge ? "settled" : "released", ...dividePaid(BigInt(line), inputCost) };
  const { outcome, paid } = JSON.parse(line) as { outcome: string; paid: string };
  if (outcome !== "released" && outcome !== "late" && outcome !== "already") throw new Error(`the ledger ended a hold as "${outcome}"`);
  return { outcome, ...dividePaid(BigInt(paid), inputCost) };
}
