// A process that spends: it has its own pools and batchers, like another instance of the service. Each line of its standard input is an
// order; each line of its output is an answer.

import { createInterface } from "node:readline";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { type Spender, spendAtOnce, startLoad } from "./load";

export type Order =
  | { do: "spend"; spender: Spender; times: number; ceiling: number }
  /** Generates load until it is killed; an answer for every acknowledged settlement. */
  | { do: "load"; spenders: Spender[]; workers: number };

setDatabaseUrl(process.argv[2] ?? "");
const answer = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

const orders = createInterface(process.stdin);
orders.on("line", async (line) => {
  const order = JSON.parse(line) as Order;
  if (order.do === "spend") answer(await spendAtOnce(order.spender, order.times, order.ceiling));
  else startLoad({ spenders: order.spenders, workers: order.workers, tell: answer });
});
orders.on("close", () => process.exit(0)); // the test is gone
answer("ready");
