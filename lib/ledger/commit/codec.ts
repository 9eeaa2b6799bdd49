// The statements that decide holds and settlements: they encode the items and decode the answer. Every answer is one text, a line for each
// item, settlements first. The calls of SQL functions are passed in: those functions also decide matters above the ledger (keys,
// idempotency keys).

import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { slotsOf, type TokenCounts } from "@/lib/base/tokens/token-kinds";
import type { Hold, HoldDecision } from "../holds";
import type { Statement } from "./connections";

/** A call of an SQL function. */
export interface SqlCall {
  /** Its name, which is the prepared statement's too. */
  name: string;
  /** `name($1, …)` */
  text: string;
  values: readonly unknown[];
}

/**
 * The calls that the ledger needs, from the owner of their SQL functions: those that decide have one text as their result. An item is the text of an SQL value (ledger_hold_request,
 * ledger_settlement), several are the text of an array of them; `bodies` are the answers of `endings`; times are ISO 8601.
 */
export interface CommitFunctions {
  placeHold(asked: string, process: string, at: string, until: string): SqlCall;
  settleHold(ending: string, body: string | null, at: string): SqlCall;
  decideBatch: DecideMany;
  decideItems: DecideMany;
  /** Rows of the freed holds, with `request_id`. */
  expireHolds(ofProcess: string | null, most: number, at: Date): SqlCall;
  expireOwn(process: string, most: number, at: Date): SqlCall;
  freeDeadHolds(process: string, judgedBeat: string, most: number, at: Date): SqlCall;
  /** Rows of the requests that still have their hold and their claim, with `request_id`. The arrays are parallel. */
  confirmHolds(requests: readonly string[], accounts: readonly string[], idempotencies: readonly (string | null)[]): SqlCall;
}

type DecideMany = (
  endings: string,
  bodies: readonly (string | null)[] | null,
  asked: string,
  hasClaims: boolean,
  process: string,
  at: string,
  until: string,
) => SqlCall;

/** The end of a hold. */
export interface Settlement {
  hold: Hold;
  /** The cost of the answer; the customer pays at most the hold. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  /** Null releases the hold: nothing is charged, and its claim is given back. */
  charge: ChargeDetails | null;
  /** The answer that the claim keeps. */
  reply: { status: number; body: string } | null;
}

export interface Settled {
  /** late: the hold was gone, and as much as could still be taken was charged; already: it was settled before. */
  outcome: "settled" | "released" | "late" | "already";
  /** What the customer paid. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
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

/**
 * Makes a call a statement. A commit of holds alone, none with an idempotency key, does not wait for the disk: PostgreSQL writes it a moment
 * later, in the order of commits, so a settlement always has its hold before it in the log. The setting is a column, since a function in FROM
 * adds a quarter to the time of a single hold.
 */
const statement = ({ name, text, values }: SqlCall, waitsForDisk: boolean): TextStatement => ({
  name: waitsForDisk ? name : `${name} without waiting for the disk`,
  text: `SELECT ${text}${waitsForDisk ? "" : ", set_config('synchronous_commit', 'off', true)"}`,
  values,
  readRow: readText,
});

/** The driver would write it with this machine's time zone offset, digit by digit. */
const writeTime = (time: Date): string => time.toISOString();

/** Whose cap a hold and its charge count in: its key's, or that of all sessions of the account. */
const countedAs = ({ keyId, accountId, isUnconfirmed }: Hold): string | null => (isUnconfirmed ? accountId : keyId);

/** Decides one hold. */
export function placeHoldStatement(functions: CommitFunctions, hold: Hold, { at, until, processId }: Circumstances): TextStatement {
  return statement(functions.placeHold(holdText(hold), processId, writeTime(at), writeTime(until)), hold.claim !== null);
}

/** Settles one hold. */
export const settleHoldStatement = (functions: CommitFunctions, settlement: Settlement, { at }: Circumstances): TextStatement =>
  statement(functions.settleHold(settlementText(settlement), settlement.reply?.body ?? null, writeTime(at)), true);

/** Decides many items, as sets or one by one. */
export function manyStatement(decide: DecideMany, { settlements, holds }: Items, { at, until, processId }: Circumstances): TextStatement {
  const hasClaims = holds.some(({ claim }) => claim !== null);
  const bodies = settlements.some(({ hold }) => hold.claim !== null) ? settlements.map(({ reply }) => reply?.body ?? null) : null;
  const [endings, asked] = [writeArray(settlements, settlementText), writeArray(holds, holdText)];
  const decided = decide(endings, bodies, asked, hasClaims, processId, writeTime(at), writeTime(until));
  return statement(decided, hasClaims || settlements.length > 0);
}

/** Writes an array of composite values: the driver would scan each for characters to quote, and quote it again. */
function writeArray<Item>(items: readonly Item[], write: (item: Item) => string): string {
  let text = "";
  for (const item of items) text += `${text === "" ? "{" : ","}${writeField(write(item))}`;
  return text === "" ? "{}" : `${text}}`;
}

/** A field of a composite value or an array element, quoted if necessary. */
const writeField = (value: string | number | bigint | boolean | null): string =>
  typeof value !== "string"
    ? `${value ?? ""}`
    : /^[\w.:/@-]+$/.test(value) && value !== "NULL"
      ? value
      : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** The text of an SQL value of type ledger_hold_request. */
function holdText(hold: Hold): string {
  const { requestId, accountId, model, ceiling, claim } = hold;
  const claimed = claim ? `${writeField(claim.key)},${writeField(`\\x${claim.bodyHash.toString("hex")}`)}` : ",";
  return `(${requestId},${accountId},${countedAs(hold) ?? ""},${writeField(model)},${ceiling},${claimed})`;
}

/** The text of an SQL value of type ledger_settlement, written field by field: a loop over names would slow every request down. */
function settlementText({ hold, inputCost, outputCost, charge, reply }: Settlement): string {
  const { requestId, accountId, ceiling, claim } = hold;
  const claimed = `${writeField(claim?.key ?? null)},${reply?.status ?? ""}`;
  const isKept = claim !== null && reply !== null;
  return `(${requestId},${accountId},${countedAs(hold) ?? ""},${ceiling},${inputCost},${outputCost},${claimed},${chargeFields(charge, isKept)})`;
}

/** A request's own remarks about itself, in texts of at most 64 characters without control characters; null: nothing. */
export interface Said {
  /** The caller's own names: of what asks, and for whom. */
  tag: string | null;
  endUser: string | null;
}

export const nothingSaid: Said = { tag: null, endUser: null };

/** A charge's details other than money, as the SQL type ledger_settlement has them. */
export interface ChargeDetails extends Said {
  model: string;
  provider: string;
  /** The provider's own id of the answer. */
  providerRequestId: string | null;
  priceVersion: string;
  usage: TokenCounts;
  /** lost: it could not be booked in time and was never delivered; the operator bears its whole cost. */
  outcome: "complete" | "partial" | "cancelled" | "lost";
  streamed: boolean;
  /** True when the provider reported no token count and our own was used. */
  estimated: boolean;
  paidBy: Hold["paidBy"];
  firstTokenMs: number | null;
  providerMs: number;
  /** What the provider probably bills beyond an estimated charge, at our prices: nobody pays it. */
  unbilled: NanoUsd;
}

/** The fields of ledger_settlement from the model on; all null for a release. */
function chargeFields(charge: ChargeDetails | null, isKept: boolean): string {
  if (!charge) return NO_CHARGE;
  const { model, provider, providerRequestId, priceVersion, outcome, paidBy, tag, endUser } = charge;
  const names = `${writeField(model)},${writeField(provider)},${writeField(providerRequestId)},${writeField(priceVersion)}`;
  const tokens = writeField(`{${slotsOf(charge.usage).join(",")}}`);
  const flags = `${writeField(outcome)},${charge.streamed},${charge.estimated},${writeField(paidBy)}`;
  const times = `${charge.firstTokenMs ?? ""},${charge.providerMs}`;
  return `${names},${tokens},${flags},${times},${charge.unbilled},${isKept},${writeField(tag)},${writeField(endUser)}`;
}

const NO_CHARGE = ",".repeat(14);

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

/** Divides the paid amount into input and output as the ledger does, the input first. */
export const dividePaid = (paid: bigint, inputCost: bigint): Pick<Settled, "inputCost" | "outputCost"> =>
  inputCost < paid
    ? { inputCost: nanoUsd(inputCost), outputCost: nanoUsd(paid - inputCost) }
    : { inputCost: nanoUsd(paid), outputCost: ZERO_USD };
