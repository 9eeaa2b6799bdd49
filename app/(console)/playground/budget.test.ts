// What a session that has just signed in, and nothing else, spends in the playground, through our own HTTP server and through Next's route.

import { beforeAll, describe, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { openAccount, type TestAccount } from "@/lib/gateway/contract/testing/accounts";
import { chargesOf, expectPaid } from "@/lib/gateway/contract/testing/books";
import { misbehaving } from "@/lib/gateway/contract/testing/client";
import { entryNames, openService } from "@/lib/gateway/contract/testing/service";
import { openPlayground, settings } from "./testing";

const playground = openPlayground(await openService({ env: settings }));
const { signIn, send } = playground;

describe.each(entryNames)("through the %s entry", (name) => {
  beforeAll(() => playground.use(name));

  describe("without a signature for it", () => {
    /** The most expensive run that there is. */
    const dear = (directives: string) => misbehaving(directives, { model: "gpt-4", maxTokens: 8_000 });

    const spentToday = async ({ accountId }: TestAccount) =>
      (await pool().query<{ spent: bigint; held: bigint }>("SELECT spent, held FROM key_spend WHERE key_id = $1", [accountId])).rows[0];

    test("a stolen session spends no more than $5 a day, however many runs it starts at once", async () => {
      const account = await openAccount({ usd: "100", limits: { ratePerMinute: 100, concurrency: 100 } });
      const headers = await signIn(account);
      const { ceiling } = (await (await send(headers, { to: "quote", body: dear("slow=50 tokens=40") })).json()) as { ceiling: number };
      const answers = await Promise.all(Array.from({ length: 15 }, () => send(headers, { body: dear("slow=50 tokens=40") })));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(answers.length - refused.length).toBe(Math.floor(5 / ceiling));
      for (const answer of refused) {
        expect({ status: answer.status, ...(await answer.json()) }).toMatchObject({
          status: 402,
          code: "SPEND_CAP_REACHED",
          error: expect.stringMatching(
            /^This request could exceed the playground's daily limit, which you can lift by signing: \$4\.\d+ of \$5\.00 is spent or reserved/,
          ),
          details: { cap: 5 },
        });
      }
      await Promise.all(answers.filter(({ status }) => status === 200).map((answer) => answer.text()));
      await expectPaid(account);
      const charges = await chargesOf(account.accountId);
      const paid = charges.reduce((sum, charge) => sum + charge.input_cost + charge.output_cost, 0n);
      expect(await spentToday(account)).toEqual({ spent: paid, held: 0n });
      const { rows } = await pool().query("SELECT key_id, period FROM charge WHERE account_id = $1", [account.accountId]);
      expect(rows).toEqual(charges.map(() => ({ key_id: null, period: "day" })));
      expect(
        (await pool().query("SELECT type FROM event WHERE account_id = $1 AND type LIKE 'key.cap%'", [account.accountId])).rows,
      ).toEqual([]);
      expect((await pool().query("SELECT * FROM ledger_check(now())")).rows).toEqual([]);
    });

    test("a signature for it lifts it, and what is spent then is not counted", async () => {
      const account = await openAccount({ usd: "100" });
      const headers = await signIn(account);
      await pool().query(
        "INSERT INTO key_spend (key_id, period, period_start, spent, held, account_id) VALUES ($1, 'day', date_trunc('day', now(), 'UTC'), 5000000000, 0, $1)",
        [account.accountId],
      );
      expect((await send(headers)).status).toBe(402);
      await pool().query("UPDATE session SET spends_until = now() + interval '1 minute' WHERE account_id = $1", [account.accountId]);
      const answer = await send(headers);
      expect(answer.status).toBe(200);
      await answer.text();
      expect(await spentToday(account)).toEqual({ spent: 5_000_000_000n, held: 0n });
      await expectPaid(account);
      await pool().query("DELETE FROM key_spend WHERE key_id = $1", [account.accountId]);
    });
  });
});
