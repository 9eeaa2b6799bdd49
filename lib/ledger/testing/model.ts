// The reference ledger: what holds, settlements, expiry and caps mean, one after the other, in plain TypeScript. The SQL of
// the ledger, in batches or not, must come to the same outcomes and the same sums.

import type { ClaimOutcome, HoldAsk, HoldResult, KeyRow, ModelHold, ModelSpend, Period, SettleAsk, SettleResult } from "./model-types";

const MOST = 2n ** 63n - 1n;
const DAY_MS = 86_400_000;

/** Thrown where the database refuses an item: it fails alone and changes nothing. */
export class Refused extends Error {}

export class ReferenceLedger {
  readonly accounts = new Map<string, { posted: bigint; held: bigint; state: string }>();
  readonly keys = new Map<string, KeyRow>();
  readonly holds = new Map<string, ModelHold>();
  readonly spends = new Map<string, ModelSpend>();
  readonly charges = new Map<string, { account: string; key: string | null; input: bigint; output: bigint; loss: bigint; atMs: number }>();
  readonly claims = new Map<string, { request: string; hash: string; expiresAtMs: number; body: string | null }>();
  readonly credits = new Set<string>();
  cameIn = 0n;
  revenue = 0n;
  losses = 0n;

  credit(id: string, account: string, amount: bigint): boolean {
    if (this.credits.has(id)) return false;
    const row = this.#account(account);
    if (row.posted + amount - row.held < 0n) throw new Refused("below zero");
    this.credits.add(id);
    row.posted += amount;
    this.cameIn += amount;
    return true;
  }

  hold(ask: HoldAsk, atMs: number): HoldResult {
    if (ask.ceiling > MOST) throw new Refused("out of range");
    const key = ask.key === null ? undefined : this.keys.get(ask.key);
    const keyState = ask.key === null ? null : this.#keyState(key, atMs);
    const periodStart = key?.period ? periodStartMs(key.period, atMs) : null;
    const result = (outcome: HoldResult["outcome"], available: bigint | null = null, spent: bigint | null = null): HoldResult => ({
      outcome,
      available,
      spent,
      keyState,
      cap: key?.cap ?? null,
      period: key?.period ?? null,
      periodStart,
    });
    if (keyState !== null && keyState !== "active") return result("key_unusable");
    if (keyState === null && this.accounts.get(ask.account)?.state === "frozen") return result("account_frozen");
    const claimed = this.#claimed(ask, atMs);
    if (claimed) return result(claimed);

    const capped =
      key && key.cap !== null && key.period !== null && periodStart !== null ? { key: key.id, period: key.period, periodStart } : null;
    const spend = capped && this.spends.get(spendName(capped));
    const spent = capped ? (spend?.spent ?? 0n) + (spend?.held ?? 0n) : null;
    if (key && spent !== null && key.cap !== null && spent + ask.ceiling > key.cap) return result("cap_reached", null, spent);
    const account = this.accounts.get(ask.account);
    const free = account ? account.posted - account.held : 0n;
    if (!account || free < ask.ceiling) return result("insufficient", free);
    if (this.holds.has(ask.request)) throw new Refused("this request has a hold");

    account.held += ask.ceiling;
    this.holds.set(ask.request, { ...ask, period: capped?.period ?? null, periodStart: capped?.periodStart ?? null });
    if (capped) this.#spendRow(capped).held += ask.ceiling;
    if (ask.idempotency !== null) {
      this.claims.set(claimName(ask), { request: ask.request, hash: ask.hash ?? "", expiresAtMs: atMs + DAY_MS, body: null });
    }
    return result("held", free - ask.ceiling);
  }

  settle(ask: SettleAsk, atMs: number): SettleResult {
    if (ask.inputCost + ask.outputCost > MOST) throw new Refused("out of range");
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
   * @throws Error unless they are `most` of those past their deadline, or all there are, and the oldest
   */
  expire(freed: readonly string[], atMs: number, most: number): void {
    const due = [...this.holds.values()].filter((hold) => hold.deadlineMs < atMs);
    const chosen = due.filter((hold) => freed.includes(hold.request));
    const left = due.filter((hold) => !freed.includes(hold.request));
    const newest = Math.max(...chosen.map((hold) => hold.deadlineMs));
    const right = chosen.length === freed.length && freed.length === Math.min(most, due.length);
    if (!right || left.some((hold) => hold.deadlineMs < newest))
      throw new Error(`freed ${freed}, but due were ${due.map((hold) => hold.request)}`);
    for (const hold of chosen) {
      this.#free(hold);
      for (const [name, claim] of this.claims) if (claim.request === hold.request && claim.body === null) this.claims.delete(name);
    }
  }

  /** Sets a key's cap; a cap that is new, or of another period, starts from what the ledger knows of that period. */
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

  #end(ask: SettleAsk, atMs: number): SettleResult {
    const hold = this.holds.get(ask.request);
    const due = ask.inputCost + ask.outputCost;
    if (hold) {
      this.#free(hold);
      if (!ask.charges) return { outcome: "released", inputCost: null, outputCost: null };
      const paid = least(due, hold.ceiling);
      if (hold.period !== null && hold.key !== null && hold.periodStart !== null) {
        this.#spendRow({ key: hold.key, period: hold.period, periodStart: hold.periodStart }).spent += paid;
      }
      return this.#charge("settled", ask, paid, atMs);
    }
    const charged = this.charges.get(ask.request);
    if (!ask.charges || charged) return { outcome: "already", inputCost: charged?.input ?? null, outputCost: charged?.output ?? null };
    const account = this.#account(ask.account);
    const free = account.posted - account.held;
    const paid = least(due, free);
    if (ask.key !== null && ask.period !== null && ask.periodStart !== null) {
      const row = this.spends.get(spendName({ key: ask.key, period: ask.period, periodStart: ask.periodStart }));
      if (row) row.spent += paid;
    }
    return this.#charge("late", ask, paid, atMs);
  }

  #charge(outcome: "settled" | "late", ask: SettleAsk, paid: bigint, atMs: number): SettleResult {
    const input = ask.inputCost < paid ? ask.inputCost : paid;
    const output = paid - input;
    const loss = ask.inputCost + ask.outputCost - paid;
    this.#account(ask.account).posted -= paid;
    this.revenue += paid + loss;
    this.losses += loss;
    this.charges.set(ask.request, { account: ask.account, key: ask.key, input, output, loss, atMs });
    return { outcome, inputCost: input, outputCost: output };
  }

  #free(hold: ModelHold): void {
    this.holds.delete(hold.request);
    this.#account(hold.account).held -= hold.ceiling;
    if (hold.key !== null && hold.period !== null && hold.periodStart !== null) {
      this.#spendRow({ key: hold.key, period: hold.period, periodStart: hold.periodStart }).held -= hold.ceiling;
    }
  }

  #claimed(ask: HoldAsk, atMs: number): ClaimOutcome | null {
    if (ask.idempotency === null) return null;
    const claim = this.claims.get(claimName(ask));
    if (!claim) return null;
    if (claim.expiresAtMs <= atMs && claim.body !== null) {
      this.claims.delete(claimName(ask));
      return null;
    }
    if (claim.hash !== ask.hash) return "mismatch";
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
    const row = this.spends.get(name) ?? { ...of, spent: 0n, held: 0n };
    this.spends.set(name, row);
    return row;
  }
}

const least = (one: bigint, other: bigint): bigint => [one, other].sort((a, b) => (a < b ? -1 : 1))[0] ?? one;
const spendName = (of: { key: string; period: Period; periodStart: number }) => `${of.key} ${of.period} ${of.periodStart}`;
const claimName = (of: { account: string; idempotency: string | null }) => `${of.account} ${of.idempotency}`;

/** When the period that contains `atMs` began, in UTC; weeks begin on Monday. */
export function periodStartMs(period: Period, atMs: number): number {
  const at = new Date(atMs);
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  switch (period) {
    case "day":
      return midnight;
    case "week":
      return midnight - ((at.getUTCDay() + 6) % 7) * DAY_MS;
    case "month":
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
    case "total":
      return 0;
  }
}
