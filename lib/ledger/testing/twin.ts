// The ledger and its reference, run through the same steps side by side; every different outcome fails the test. Everything is one
// transaction that is rolled back, so that thousands of cases leave nothing behind.

import { createHash } from "node:crypto";
import type { PoolClient } from "pg";
import { expect } from "vitest";
import { asBatch, checkBooks, commit, failed, type LedgerRequest } from "./books";
import { ReferenceLedger, Refused } from "./model";
import type { HoldRequest, HoldResult, KeyRow, Period, SettleRequest, SettleResult } from "./model-types";
import type { HoldPick, SettlePick, Step } from "./steps";

export const accounts = ["acc_a", "acc_b", "acc_c"] as const;
/** Two keys per account; the second of each has a cap from the start. */
const keysOf = (account: string) => [`${account}_key1`, `${account}_key2`] as const;
const funding = "funding";
export const reversalLosses = "reversal_losses";
const holdForMs = 60_000;
const outOfRange = 2n ** 63n;

/** Creates the accounts, keys and prices that every case begins with. */
export async function openTwins(client: Pick<PoolClient, "query">): Promise<void> {
  const at = new Date(0);
  await client.query("SELECT ledger_open_account($1, 'funding', $2)", [funding, at]);
  await client.query("SELECT ledger_open_account($1, 'operator_loss', $2)", [reversalLosses, at]);
  await client.query("INSERT INTO price_version VALUES ('unit-price', 'model', 1, 1, $1)", [at]);
  for (const account of accounts) {
    await client.query("INSERT INTO account (id, created_at) VALUES ($1, $2)", [account, at]);
    await client.query("SELECT ledger_open_account($1, 'customer', $2)", [account, at]);
    for (const key of keysOf(account)) {
      const hash = createHash("sha256").update(key).digest();
      await client.query(
        "INSERT INTO api_key (id, account_id, hash, prefix, last4, name, created_at, cap_nano_usd, cap_period) VALUES ($1, $2, $3, '', '', '', $4, $5, $6)",
        [key, account, hash, at, key.endsWith("2") ? 25 : null, key.endsWith("2") ? "day" : null],
      );
    }
  }
}

export class Twin {
  readonly model = new ReferenceLedger();
  atMs = Date.UTC(2026, 2, 31, 20);
  /** What settling every request so far would say, in the order they came. */
  readonly requests: HoldRequest[] = [];
  #counter = 0;

  constructor(readonly client: PoolClient) {
    for (const account of accounts) {
      this.model.accounts.set(account, { posted: 0n, held: 0n, debts: [], state: "open" });
      for (const id of keysOf(account)) {
        const capped = id.endsWith("2");
        const row: KeyRow = { id, account, state: "active", expiresAtMs: null, cap: capped ? 25n : null, period: capped ? "day" : null };
        this.model.keys.set(id, row);
      }
    }
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "credit":
        return this.#credit(accounts[step.account] ?? accounts[0], step.amount, step.again);
      case "hold":
        return this.#commit([], this.holdRequests(step.items));
      case "settle":
        return this.#commit(this.settleRequests(step.items), []);
      case "commit":
        return this.#settleAndHold(step.settlements, step.holds);
      case "advance":
        this.atMs += step.ms;
        return;
      case "expire":
        return this.#expire(step.most);
      case "key":
        return this.#setKeyState(step.key, step.state);
      case "account":
        return this.#setAccountState(accounts[step.account] ?? accounts[0], step.state);
      case "cap":
        return this.#setCap(step.key, step.cap, step.period);
      case "take-back":
        return this.#takeBack(accounts[step.account] ?? accounts[0], step.amount);
      case "collect":
        return this.#collectDebts(accounts[step.account] ?? accounts[0]);
      case "roll-up":
        await this.client.query("SELECT ledger_roll_up(ledger_roll_up_mark(), 1000000000)");
        return;
      case "forget-replies":
        return this.#forgetReplies();
    }
  }

  /** A request that ends in this commit cannot have a hold again in it: ids are new for each request. */
  #settleAndHold(settlements: readonly SettlePick[], holds: readonly HoldPick[]): Promise<void> {
    const settled = this.settleRequests(settlements);
    return this.#commit(settled, this.holdRequests(holds, new Set(settled.map(({ request }) => request))));
  }

  /** Turns picks into items, and remembers them, so that later steps can settle them; `ending` are the requests that end with them. */
  holdRequests(picks: readonly HoldPick[], ending: ReadonlySet<string> = new Set()): HoldRequest[] {
    return picks.map((pick) => {
      const place = this.#counter++;
      const account = accounts[pick.account] ?? accounts[0];
      const open = [...this.model.holds.keys()].filter((request) => !ending.has(request));
      const ask: HoldRequest = {
        request: pick.poison === "again" && open.length > 0 ? (open[pick.body % open.length] ?? "") : `req_${place}`,
        account: pick.poison === "nobody" ? "acc_nobody" : account,
        key: pick.key === 0 ? null : (keysOf(account)[pick.key - 1] ?? null),
        ceiling: pick.poison === "range" ? outOfRange : pick.ceiling,
        deadlineMs: this.atMs + holdForMs,
        idempotency: pick.idempotency === null ? null : `idem ${pick.idempotency}`,
        hash: pick.idempotency === null ? null : pick.body === 0 ? "00" : "01",
      };
      if (pick.poison !== "again") this.requests.push(ask);
      return ask;
    });
  }

  /** The same request twice in a batch is the same settlement twice, like a retry. */
  settleRequests(picks: readonly SettlePick[]): SettleRequest[] {
    const asks = new Map<string, SettleRequest>();
    return picks.flatMap((pick) => {
      const ask = this.requests[pick.request % Math.max(1, this.requests.length)];
      if (!ask) return [];
      const settle = asks.get(ask.request) ?? this.#settleRequest(ask, pick);
      asks.set(ask.request, settle);
      return [settle];
    });
  }

  #settleRequest(ask: HoldRequest, pick: SettlePick): SettleRequest {
    const { ceiling } = ask;
    const wanted = {
      exact: ceiling,
      part: BigInt(pick.cost) < ceiling ? BigInt(pick.cost) : ceiling,
      lost: BigInt(pick.cost),
      overrun: ceiling + BigInt(pick.cost) + 1n,
    };
    const total = pick.kind in wanted ? wanted[pick.kind as keyof typeof wanted] : 0n;
    const total64 = total >= outOfRange ? 5n : total;
    const inputCost = pick.kind === "range" ? outOfRange - 1n : (total64 * BigInt(pick.cost % 4)) / 3n;
    return {
      request: ask.request,
      account: pick.kind === "nobody" && !this.#known(ask.request) ? "acc_nobody" : ask.account,
      key: ask.key,
      ceiling: ceiling >= outOfRange ? 1n : ceiling,
      inputCost: inputCost > total64 && pick.kind !== "range" ? total64 : inputCost,
      outputCost: pick.kind === "range" ? 1n : total64 - (inputCost > total64 ? total64 : inputCost),
      charges: pick.kind !== "release",
      isLost: pick.kind === "lost",
      isWhole: pick.cost % 2 === 1,
      idempotency: ask.idempotency,
      body: pick.kind === "release" ? null : `answer to ${ask.request}`,
    };
  }

  #known(request: string): boolean {
    return this.model.holds.has(request) || this.model.charges.has(request);
  }

  async #credit(account: string, amount: bigint, again: boolean): Promise<void> {
    const id = `credit ${again ? 0 : this.#counter++}`;
    const legs = JSON.stringify([
      { account, amount: amount.toString() },
      { account: funding, amount: (-amount).toString() },
    ]);
    const [actual] = await asBatch(this.client, [0], async () => {
      const { rows } = await this.client.query<{ done: boolean }>("SELECT ledger_post($1, 'credit', $2, $3) AS done", [
        id,
        legs,
        new Date(this.atMs),
      ]);
      return rows.map((row) => row.done);
    });
    expect(actual).toEqual(refusable(() => this.model.credit(id, account, amount)));
  }

  async #commit(settlements: readonly SettleRequest[], holds: readonly HoldRequest[]): Promise<void> {
    const asks = [...settlements.map((settle) => ({ settle })), ...holds.map((hold) => ({ hold }))];
    if (asks.length === 0) return;
    const actual = await asBatch<LedgerRequest, SettleResult | HoldResult>(this.client, asks, (items) =>
      commit(this.client, items, this.atMs),
    );
    const settled = settlements.map((ask) => refusable(() => this.model.settle(ask, this.atMs)));
    const held = holds.map((ask) => refusable(() => this.model.hold(ask, this.atMs)));
    expect(actual).toEqual([...settled, ...held]);
  }

  async #takeBack(account: string, amount: bigint): Promise<void> {
    const { rows } = await this.client.query<{ lost: bigint }>("SELECT ledger_take_back($1, $2, $3, $4, $5, $6) AS lost", [
      ...[`reversal ${this.#counter++}`, account, funding, reversalLosses, amount, new Date(this.atMs)],
    ]);
    expect(rows[0]?.lost).toBe(this.model.takeBack(account, amount));
  }

  async #collectDebts(account: string): Promise<void> {
    const { rows } = await this.client.query<{ lost: bigint | null }>("SELECT ledger_collect_debts($1, $2) AS lost", [
      account,
      new Date(this.atMs),
    ]);
    expect(rows[0]?.lost).toBe(this.model.collectDebts(account));
  }

  async #expire(most: number): Promise<void> {
    const { rows } = await this.client.query<{ request_id: string }>("SELECT request_id FROM gateway_expire_holds(NULL, $1, $2)", [
      most,
      new Date(this.atMs),
    ]);
    // Holds of one batch have one deadline: the database chooses which of them expire first.
    this.model.expire(
      rows.map((row) => row.request_id),
      this.atMs,
      most,
    );
  }

  async #setKeyState(place: number, state: KeyRow["state"]): Promise<void> {
    const key = this.#keyAt(place);
    if (key.state === "revoked") return;
    key.state = state;
    await this.client.query("UPDATE api_key SET state = $2 WHERE id = $1", [key.id, state]);
  }

  async #setAccountState(id: string, state: string): Promise<void> {
    const row = this.model.accounts.get(id);
    if (row) row.state = state;
    await this.client.query("UPDATE account SET state = $2 WHERE id = $1", [id, state]);
  }

  async #setCap(place: number, cap: bigint | null, period: Period): Promise<void> {
    const key = this.#keyAt(place);
    const at = new Date(this.atMs);
    this.model.setCap(key.id, cap, cap === null ? null : period, this.atMs);
    await this.client.query("UPDATE api_key SET cap_nano_usd = $2, cap_period = $3 WHERE id = $1", [
      key.id,
      cap,
      cap === null ? null : period,
    ]);
    if (cap === null) return;
    // Counted up to a charge in the middle: later charges are counted under the lock.
    await this.client.query(
      `SELECT ledger_open_key_spend($1, $2, $3, start, coalesce((
           SELECT sum(c.input_cost + c.output_cost) FROM charge c WHERE c.key_id = $2 AND c.at >= start AND c.seq <= middle), 0)::bigint, middle)
         FROM access_cap_period_start($3, $4) AS start,
           (SELECT coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY seq), 0) AS middle FROM charge) m`,
      [key.account, key.id, period, at],
    );
  }

  async #forgetReplies(): Promise<void> {
    const { rowCount } = await this.client.query("DELETE FROM idempotent_reply WHERE expires_at <= $1 AND status IS NOT NULL", [
      new Date(this.atMs),
    ]);
    expect(rowCount).toBe(this.model.forgetReplies(this.atMs));
  }

  #keyAt(place: number): KeyRow {
    const key = [...this.model.keys.values()][place % this.model.keys.size];
    if (!key) throw new Error("there are no keys");
    return key;
  }

  /** Every invariant of check-ledger, and exactly as many overdue holds as in the model. */
  async expectCleanBooks(): Promise<void> {
    const { broken, overdue } = await checkBooks(this.client, this.atMs);
    expect(broken).toEqual([]);
    expect(overdue).toBe([...this.model.holds.values()].filter((hold) => hold.deadlineMs < this.atMs - 60_000).length);
  }
}

function refusable<T>(work: () => T): T | typeof failed {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return failed;
    throw error;
  }
}
