// The reference ledger: the meaning of holds, settlements, expiry and caps, one after the other, in plain TypeScript. The ledger's SQL, in
// batches or not, must arrive at the same outcomes and sums.

import type {
  ClaimOutcome,
  HoldRequest,
  HoldResult,
  KeyRow,
  ModelCharge,
  ModelHold,
  ModelSpend,
  Period,
  SettleRequest,
  SettleResult,
} from "./model-types";
import { periodEndMs, periodStartMs } from "./periods";

const MOST = 2n ** 63n - 1n;
const DAY_MS = 86_400_000;
/** Only its own process ends a hold at its deadline. */
const GRACE_MS = 30_000;

/** Thrown where the database refuses an item: it fails alone and changes nothing. */
export class Refused extends Error {}

export class ReferenceLedger {
  readonly accounts = new Map<string, { posted: bigint; held: bigint; debts: bigint[]; state: string }>();
  readonly keys = new Map<string, KeyRow>();
  readonly holds = new Map<string, ModelHold>();
  readonly spends = new Map<string, ModelSpend>();
  readonly charges = new Map<string, ModelCharge>();
  readonly claims = new Map<string, { request: string; key: string | null; hash: string; expiresAtMs: number; body: string | null }>();
  readonly credits = new Set<string>();
  cameIn = 0n;
  revenue = 0n;
  losses = 0n;
  /** What reversals cost the operator so far; open debts may still reduce it. */
  reversed = 0n;

  credit(id: string, account: string, amount: bigint): boolean {
    if (this.credits.has(id)) return false;
    const row = this.#account(account);
    if (row.posted + amount - row.held < 0n) throw new Refused("below zero");
    this.credits.add(id);
    row.posted += amount;
    this.cameIn += amount;
    return true;
  }

  hold(ask: HoldRequest, atMs: number): HoldResult {
    if (ask.ceiling > MOST) throw new Refused("out of range");
    const key = ask.key === null ? undefined : this.keys.get(ask.key);
    const keyState = ask.key === null ? "active" : this.#keyState(key, atMs);
    if (keyState !== "active") return { outcome: "key_unusable", keyState };
    if (ask.key === null && this.accounts.get(ask.account)?.state === "frozen") return { outcome: "account_frozen" };
    const claimed = this.#claimed(ask, atMs);
    if (claimed) return { outcome: claimed };
    const account = this.accounts.get(ask.account);
    // Negative while more is owed than is free: then not even a hold of zero is placed.
    if (!account || this.#free(account) < ask.ceiling) return { outcome: "insufficient", available: this.available(ask.account) };
    const capped = key && cappedPeriod(key, atMs);
    if (capped) {
      const spent = this.#used(capped);
      if (spent + ask.ceiling > capped.cap) return { outcome: "cap_reached", cap: capped.cap, spent, resetsAt: periodEndMs(capped) };
    }
    if (this.holds.has(ask.request)) throw new Refused("this request has a hold");

    account.held += ask.ceiling;
    this.holds.set(ask.request, { ...ask, period: capped?.period ?? null, periodStart: capped?.periodStart ?? null });
    if (capped) this.#spendRow(capped).held += ask.ceiling;
    if (ask.idempotency !== null) {
      this.claims.set(claimName(ask), { request: ask.request, key: ask.key, hash: ask.hash ?? "", expiresAtMs: atMs + DAY_MS, body: null });
    }
    return { outcome: "held" };
  }

  available(id: string): bigint {
    const account = this.accounts.get(id);
    const free = account ? this.#free(account) : 0n;
    return free > 0n ? free : 0n;
  }

  /** Reverses money that had come in: takes what is available now, owes what is held, and loses the rest. Returns the loss. */
  takeBack(id: string, amount: bigint): bigint {
    const account = this.#account(id);
    const taken = least(this.available(id), amount);
    const couldComeFree = account.held - sum(account.debts);
    const owed = least(amount - taken, couldComeFree > 0n ? couldComeFree : 0n);
    account.posted -= taken;
    this.cameIn -= amount;
    this.reversed += amount - taken;
    if (owed > 0n) account.debts.push(owed);
    return amount - taken - owed;
  }

  /** Collects an account's debts, as far as money is free. Returns what is lost of them; null while debts remain. */
  collectDebts(id: string): bigint | null {
    const account = this.#account(id);
    let lost = 0n;
    account.debts = account.debts.flatMap((debt) => {
      const taken = least(account.posted - account.held, debt);
      account.posted -= taken;
      this.reversed -= taken;
      if (taken === debt) return [];
      if (account.held > 0n) return [debt - taken];
      lost += debt - taken;
      return [];
    });
    return account.debts.length > 0 ? null : lost;
  }

  settle(ask: SettleRequest, atMs: number): SettleResult {
    if (ask.charges && ask.inputCost + ask.outputCost > MOST) throw new Refused("out of range");
    const result = this.#end(ask, atMs);
    const claim = ask.idempotency === null ? undefined : this.claims.get(claimName({ account: ask.account, idempotency: ask.idempotency }));
    if (claim?.request === ask.request && claim.body === null) {
      if (ask.body === null) this.claims.delete(claimName(ask));
      else claim.body = ask.body;
    }
    return result;
  }

  /**
   * Frees the holds that the database chose.
   * @throws Error unless they are the oldest past their deadline: `most` of them, or all there are
   */
  expire(freed: readonly string[], atMs: number, most: number): void {
    const due = [...this.holds.values()].filter((hold) => hold.deadlineMs < atMs - GRACE_MS);
    const chosen = due.filter((hold) => freed.includes(hold.request));
    const left = due.filter((hold) => !freed.includes(hold.request));
    const newest = Math.max(...chosen.map((hold) => hold.deadlineMs));
    const right = chosen.length === freed.length && freed.length === Math.min(most, due.length);
    if (!right || left.some((hold) => hold.deadlineMs < newest))
      throw new Error(`freed ${freed}, but due were ${due.map((hold) => hold.request)}`);
    for (const hold of chosen) {
      this.#endHold(hold);
      for (const [name, claim] of this.claims) if (claim.request === hold.request && claim.body === null) this.claims.delete(name);
    }
  }

  /** Sets a key's cap; a cap that is new, or has another period, starts from what the ledger knows of that period. */
  setCap(keyId: string, cap: bigint | null, period: Period | null, atMs: number): void {
    const key = this.keys.get(keyId);
    if (!key) throw new Error(`no key ${keyId}`);
    key.cap = cap;
    key.period = period;
    if (period === null) return;
    const periodStart = periodStartMs(period, atMs);
    for (const row of this.spends.values()) if (row.key === keyId) row.held = 0n;
    const row = this.#spendRow({ key: keyId, period, periodStart });
    row.spent = 0n;
    row.held = 0n;
    for (const charge of this.charges.values())
      if (charge.key === keyId && charge.atMs >= periodStart) row.spent += charge.input + charge.output;
    for (const hold of this.holds.values()) {
      if (hold.key !== keyId) continue;
      Object.assign(hold, { period, periodStart });
      row.held += hold.ceiling;
    }
  }

  forgetReplies(atMs: number): number {
    const gone = [...this.claims].filter(([, claim]) => claim.expiresAtMs <= atMs && claim.body !== null);
    for (const [name] of gone) this.claims.delete(name);
    return gone.length;
  }

  #end(ask: SettleRequest, atMs: number): SettleResult {
    const hold = this.holds.get(ask.request);
    const due = ask.inputCost + ask.outputCost;
    const most = ask.isLost ? 0n : least(due, ask.ceiling);
    if (hold) {
      this.#endHold(hold);
      if (!ask.charges) return { outcome: "released", inputCost: 0n, outputCost: 0n };
      const { key, period, periodStart } = hold;
      const counts = key !== null && period !== null && periodStart !== null ? { key, period, periodStart } : null;
      return this.#charge("settled", ask, most, counts, atMs);
    }
    const charged = this.charges.get(ask.request);
    if (charged) return { outcome: "already", ...divide(charged.input + charged.output, ask.charges ? ask.inputCost : 0n) };
    if (!ask.charges) return { outcome: "released", inputCost: 0n, outputCost: 0n };
    this.#account(ask.account);
    const claim = ask.idempotency === null ? undefined : this.claims.get(claimName(ask));
    const hasClaim = ask.idempotency === null || (claim?.request === ask.request && claim.body === null);
    const key = ask.key === null ? undefined : this.keys.get(ask.key);
    const capped = key && cappedPeriod(key, atMs);
    const left = capped ? capped.cap - this.#used(capped) : most;
    const room = hasClaim ? (left > 0n ? left : 0n) : 0n;
    const payable = least(this.available(ask.account), room);
    const isDiscarded = ask.isWhole === true && payable < least(due, ask.ceiling);
    if (isDiscarded && claim?.request === ask.request && claim.body === null) this.claims.delete(claimName(ask));
    return this.#charge("late", ask, isDiscarded ? 0n : least(most, payable), capped ?? null, atMs);
  }

  #charge(
    outcome: "settled" | "late",
    ask: SettleRequest,
    paid: bigint,
    counts: { key: string; period: Period; periodStart: number } | null,
    atMs: number,
  ): SettleResult {
    const { inputCost, outputCost } = divide(paid, ask.inputCost);
    const loss = ask.inputCost + ask.outputCost - paid;
    this.#account(ask.account).posted -= paid;
    if (counts) this.#spendRow(counts).spent += paid;
    this.revenue += paid + loss;
    this.losses += loss;
    const { account, key } = ask;
    const late = outcome === "late";
    this.charges.set(ask.request, { account, key, input: inputCost, output: outputCost, loss, atMs, late, period: counts?.period ?? null });
    return { outcome, inputCost, outputCost };
  }

  #endHold(hold: ModelHold): void {
    this.holds.delete(hold.request);
    this.#account(hold.account).held -= hold.ceiling;
    if (hold.key !== null && hold.period !== null && hold.periodStart !== null) {
      this.#spendRow({ key: hold.key, period: hold.period, periodStart: hold.periodStart }).held -= hold.ceiling;
    }
  }

  #free({ posted, held, debts }: { posted: bigint; held: bigint; debts: bigint[] }): bigint {
    return posted - held - sum(debts);
  }

  #used(of: { key: string; period: Period; periodStart: number }): bigint {
    const row = this.spends.get(spendName(of));
    return (row?.spent ?? 0n) + (row?.held ?? 0n);
  }

  #claimed(ask: HoldRequest, atMs: number): ClaimOutcome | null {
    if (ask.idempotency === null) return null;
    const claim = this.claims.get(claimName(ask));
    if (!claim) return null;
    if (claim.expiresAtMs <= atMs && claim.body !== null) {
      this.claims.delete(claimName(ask));
      return null;
    }
    // No key of the model may read the whole account.
    const isOwn = claim.key === null || ask.key === null || ask.key === claim.key || ask.key === ask.account;
    if (claim.hash !== ask.hash || !isOwn) return "mismatch";
    return claim.body === null ? "in_progress" : "replay";
  }

  #keyState(key: KeyRow | undefined, atMs: number): string {
    if (!key) return "unknown";
    if (key.state !== "active") return key.state;
    if (key.expiresAtMs !== null && key.expiresAtMs <= atMs) return "expired";
    const { state } = this.#account(key.account);
    return state === "open" ? "active" : state;
  }

  #account(id: string) {
    const row = this.accounts.get(id);
    if (!row) throw new Refused(`no account ${id}`);
    return row;
  }

  #spendRow(of: { key: string; period: Period; periodStart: number }): ModelSpend {
    const name = spendName(of);
    const { key, period, periodStart } = of;
    const row = this.spends.get(name) ?? { key, period, periodStart, spent: 0n, held: 0n };
    this.spends.set(name, row);
    return row;
  }
}

const least = (one: bigint, other: bigint): bigint => [one, other].sort((a, b) => (a < b ? -1 : 1))[0] ?? one;
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);
/** Divides what was paid, the input first. */
const divide = (paid: bigint, inputCost: bigint) => ({ inputCost: least(inputCost, paid), outputCost: paid - least(inputCost, paid) });
const cappedPeriod = ({ id: key, cap, period }: KeyRow, atMs: number) =>
  cap !== null && period !== null ? { key, cap, period, periodStart: periodStartMs(period, atMs) } : null;
const spendName = (of: { key: string; period: Period; periodStart: number }) => `${of.key} ${of.period} ${of.periodStart}`;
const claimName = (of: { account: string; idempotency: string | null }) => `${of.account} ${of.idempotency}`;
