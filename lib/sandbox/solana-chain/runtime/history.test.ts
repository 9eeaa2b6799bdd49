import { expect, test } from "vitest";
import { History } from "./history";
import type { TransactionRecord } from "./transaction-record";

const record = (index: number, slot: number): TransactionRecord => ({
  signature: `signature ${index}`,
  slot,
  blockTime: 0,
  error: null,
  memo: null,
  wire: "",
  accounts: ["payer", `account ${index}`, "payer"],
  fee: 0,
  preBalances: [],
  postBalances: [],
  preTokenBalances: [],
  postTokenBalances: [],
  logs: [],
  unitsConsumed: 0,
});

const everything = { limit: 1_000, newestSlot: 1e9 };

test("beyond its limit the history drops the oldest transactions from all indexes", () => {
  const history = new History(10);
  for (let index = 0; index < 40; index++) history.add(record(index, 1_000 + index * 20));
  expect(history.all().map(({ signature }) => signature)).toEqual(Array.from({ length: 10 }, (_, index) => `signature ${30 + index}`));
  expect(history.ofAccount("payer", everything)).toHaveLength(10);
  expect(history.ofAccount("account 3", everything)).toEqual([]);
  expect(history.find("signature 3")).toBeNull();
  expect([history.timeOf(1_060), history.timeOf(1_780)]).toEqual([null, 0]);
});

test("a transaction whose blockhash is still valid is never dropped: it could run again", () => {
  const history = new History(10);
  for (let index = 0; index < 100; index++) history.add(record(index, 1_000 + index));
  expect(history.all()).toHaveLength(100);
  history.add(record(100, 1_200));
  expect(history.all()[0]?.slot).toBe(1_050);
});
