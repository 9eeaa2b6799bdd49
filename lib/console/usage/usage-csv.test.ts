// The export, read back by an RFC 4180 parser written here from the grammar: values survive, and no cell runs as a formula.

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { type AccountId, requestIdAt } from "@/lib/base/ids";
import { collectGarbage } from "@/lib/base/testing/collect-garbage";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { unitPrice } from "@/lib/ledger/testing/books";
import { charge, someCharges } from "@/lib/ledger/testing/charges";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { csvCell, usageCsvStream, usageFileName, writeUsageCsv } from "./usage-csv";
import { readUsageQuery } from "./usage-query";

const database = await openTestDatabase();
beforeAll(openFunding);

const query = readUsageQuery({ from: "2026-02-27", to: "2026-03-02" });

/** Rows of cells; throws where the text breaks the grammar. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(text.slice(at));
    const cell = quoted ?? /^[^",\r\n]*/.exec(text.slice(at));
    row.push(quoted ? (quoted[1] ?? "").replaceAll('""', '"') : (cell?.[0] ?? ""));
    at += cell?.[0].length ?? 0;
    if (text.startsWith("\r\n", at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else if (text[at] === ",") at += 1;
    else throw new Error(`no separator at ${at}: ${JSON.stringify(text.slice(at, at + 20))}`);
  }
  if (row.length > 0) throw new Error("the last line does not end");
  return rows;
}

async function exportAll(accountId: AccountId): Promise<string[][]> {
  let text = "";
  for await (const piece of writeUsageCsv(accountId, query)) text += piece;
  return parseCsv(text);
}

test("any text survives as a cell, and no cell begins a formula", () => {
  const risky = fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "＝", '"', ",", "\r", "\n", "\t", " ", "a", "'", "é") });
  fc.assert(
    fc.property(fc.array(risky, { minLength: 1 }), (cells) => {
      const [row = [], ...others] = parseCsv(`${cells.map(csvCell).join(",")}\r\n`);
      expect(others).toEqual([]);
      expect(row.map((cell, index) => (cell === cells[index] ? cell : cell.replace(/^'/, "")))).toEqual(cells);
      for (const cell of row) expect(cell).not.toMatch(/^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/);
    }),
  );
});

test.each([
  ['=HYPERLINK("http://x",A1)', '"\'=HYPERLINK(""http://x"",A1)"'],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  [" =1", "' =1"],
  ["plain", "plain"],
  ["a-b", "a-b"],
  ["", ""],
])("%j is written %s", (text, written) => expect(csvCell(text)).toBe(written));

test("every charge is a line under its column names, amounts exact, with the name that its owner gave the key", async () => {
  const account = await fundedAccount(10_000_000);
  const { keyId } = await createKey({ accountId: account, name: "=cmd|' /C calc'!A0, \"ci\"\n2" });
  const [first, second] = someCharges(2).sort((left, right) => (left.requestId < right.requestId ? 1 : -1));
  if (!first || !second) throw new Error("no charge was made");
  await charge(account, [
    { ...first, keyId, inputTokens: 1_440, outputTokens: 1 },
    { ...second, keyId: null, inputTokens: 0, outputTokens: 0 },
  ]);
  const [head = [], ...rows] = await exportAll(account);
  const cells = rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index]])));
  expect(cells).toEqual([
    {
      time: new Date(first.atMs).toISOString(),
      request_id: first.requestId,
      model: first.model,
      provider: "provider",
      key: "'=cmd|' /C calc'!A0, \"ci\"\n2",
      key_id: keyId,
      input_tokens: "1440",
      cached_input_tokens: "720",
      cache_write_tokens: "360",
      cache_write_1h_tokens: "180",
      image_tokens: "90",
      output_tokens: "1",
      reasoning_tokens: "0",
      input_cost_usd: "0.00000144",
      output_cost_usd: "0.000000001",
      total_cost_usd: "0.000001441",
      outcome: "complete",
      streamed: "false",
      estimated: "false",
      price_version: unitPrice,
      paid_by: "balance",
    },
    expect.objectContaining({ request_id: second.requestId, key: "Playground", key_id: "", total_cost_usd: "0" }),
  ]);
});

test("an account without charges exports only the header line", async () => {
  expect(await exportAll(await fundedAccount(0))).toHaveLength(1);
});

/** Inserts this many charges of one model directly, bypassing the ledger's functions. */
async function insertCharges(account: AccountId, model: string, count: number): Promise<void> {
  const at = new Date(Date.UTC(2026, 1, 28));
  await database.pool.query(
    `INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, tokens, input_cost, output_cost, operator_loss, ceiling, late, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
     SELECT $1, $2 || lpad(n::text, 8, '0') || $3, NULL, $3, 'provider', $4, ARRAY[n, 1], n, 1, 0, n + 1, false, 'complete', false, false, 'balance', NULL, 1, $5
     FROM generate_series(1, $6::int) n`,
    [account, requestIdAt(at.getTime()), model, unitPrice, at, count],
  );
}

test("exporting ten times as many charges takes no more memory", async () => {
  const account = await fundedAccount(0);
  await insertCharges(account, "some", 10_000);
  await insertCharges(account, "many", 100_000);
  /** The peak memory of the process while it wrote, and how many lines it wrote. */
  const write = async (model: string) => {
    let [most, lines, pieces] = [0, -1, 0];
    for await (const piece of writeUsageCsv(account, { ...query, model })) {
      // On a busy machine the garbage collector lags by more than the rows of ten chunks.
      if (pieces++ % 10 === 0) collectGarbage();
      lines += piece.split("\r\n").length - 1;
      most = Math.max(most, process.memoryUsage.rss());
    }
    return { most, lines };
  };
  const some = await write("some");
  const many = await write("many");
  expect([some.lines, many.lines]).toEqual([10_000, 100_000]);
  // All rows held at once would take more than 75 megabytes.
  expect(many.most - some.most).toBeLessThan(40_000_000);
}, 90_000);

test("nothing is read before the client asks for it, and nothing after it has left", async () => {
  const account = await fundedAccount(10_000_000);
  await charge(account, someCharges(2_500));
  let connectionsUsed = 0;
  const countQuery = () => {
    connectionsUsed += 1;
  };
  const decode = ({ value }: { value?: Uint8Array }) => new TextDecoder().decode(value);
  /** A database round trip, during which an unrequested read would have begun. */
  const settle = () => database.pool.query("SELECT 1");
  pool().on("acquire", countQuery);
  try {
    const reader = usageCsvStream(account, query).getReader();
    await settle();
    expect(connectionsUsed).toBe(0);
    expect(decode(await reader.read())).toMatch(/^time,request_id,[^\r]*\r\n$/);
    expect(decode(await reader.read()).match(/\r\n/g)).toHaveLength(1_000);
    const before = connectionsUsed;
    await settle();
    await reader.cancel();
    await settle();
    expect(connectionsUsed).toBe(before);
  } finally {
    pool().off("acquire", countQuery);
  }
});

test("a file is named after the service and its date range", () => {
  expect(usageFileName("PennyPrompt", query)).toBe("pennyprompt-usage-2026-02-27-to-2026-03-02.csv");
  expect(usageFileName('../"Ærø" & co', query)).toBe("r-co-usage-2026-02-27-to-2026-03-02.csv");
  expect(usageFileName("日本", query)).toBe("service-usage-2026-02-27-to-2026-03-02.csv");
});
