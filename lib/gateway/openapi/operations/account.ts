// The operations of an account: its balance, its deposits, its usage, and the receipt of one request.

import { EXAMPLE_REQUEST_ID, type Examples } from "../examples";
import { answersOf, jsonOf, keyedRefusals, needsKey, success } from "../operation";
import type { JsonSchema, Operation, Parameter } from "../types";

/** Well-formed addresses and names that belong to nobody. */
const wallet = { base: "0x52908400098527886E0F7030069857D2E4169EE7", solana: "8mCk1vQkTzQ4yYp2uC6gGm1oZ3dN5rXw7sVbHjKqLtEf" };
const transaction = "0x9f0c1d2e3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";

export const getBalance = ({ cost }: Examples): Operation => ({
  operationId: "getBalance",
  tags: ["Account"],
  summary: "Read the balance",
  description: "What the key's account has, what running requests hold of it, what is left, and the addresses to pay USDC to.",
  security: needsKey,
  responses: answersOf(
    success(
      "The balance.",
      jsonOf("Balance", {
        balance: {
          summary: "A balance while a request runs",
          value: { balance: 25, held: cost.totalCost, available: Number((25 - cost.totalCost).toFixed(9)), currency: "USD", wallet },
        },
      }),
    ),
    keyedRefusals,
  ),
});

// Written by hand: the schema that validates a query parses text, and describes its numbers and lists only as text. A test checks each
// bound on the running service.
const query = (name: string, description: string, schema: JsonSchema, example?: string): Parameter => ({
  name,
  in: "query",
  required: false,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

const instant: JsonSchema = {
  anyOf: [
    { type: "string", format: "date" },
    { type: "string", format: "date-time" },
  ],
};

const rowsOnAPage = query("limit", "Rows on a page.", { type: "integer", minimum: 1, maximum: 1_000, default: 100 });

const usageQuery: readonly Parameter[] = [
  query("from", "A day or an instant. Without it 30 days before to.", instant),
  query("to", "A day or an instant, itself not in the span: at most 366 days after from. Without it the end of today, UTC.", instant),
  query(
    "groupBy",
    "Any of day, model and key, separated by commas. Without it one row a request.",
    { type: "string", pattern: "^(day|model|key)(,(day|model|key)){0,2}$" },
    "day,model",
  ),
  rowsOnAPage,
  query("cursor", "nextCursor of the page before, with the same from, to and groupBy.", { type: "string" }),
];

export const getUsage = ({ model, usage, cost, at }: Examples): Operation => {
  const totals = { requests: 1, usage, cost };
  const page = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z", totals, nextCursor: null };
  const row = { requestId: EXAMPLE_REQUEST_ID, at, model: model.id, keyId: "key_0WAqXk3eB1c2D3e4F5g6", usage, cost };
  return {
    operationId: "getUsage",
    tags: ["Account"],
    summary: "List what was charged",
    description:
      "The account's charged requests, one by one or in groups, with totals that equal the ledger's. All pages of a listing see the same charges.",
    security: needsKey,
    parameters: usageQuery,
    responses: answersOf(
      success(
        "One page.",
        jsonOf("UsagePage", {
          groups: {
            summary: "Grouped by day and model",
            value: { ...page, groupBy: ["day", "model"], rows: [{ day: "2026-11-23", model: model.id, ...totals }] },
          },
          requests: {
            summary: "One row a request",
            value: { ...page, groupBy: [], rows: [{ ...row, outcome: "complete", streamed: false }] },
          },
        }),
      ),
      keyedRefusals,
    ),
  };
};

export const listDeposits = ({ at }: Examples): Operation => {
  const row = {
    id: `base_${transaction}_17_5000000`,
    chain: "base",
    state: "confirming",
    amount: 5,
    address: wallet.base,
    transaction,
    transactionUrl: `https://basescan.org/tx/${transaction}`,
    block: 38_412_907,
    confirmations: 7,
    neededConfirmations: 12,
    isFinal: false,
    seenAt: at,
    creditedAt: null,
    reversedAt: null,
  };
  return {
    operationId: "listDeposits",
    tags: ["Account"],
    summary: "List what came in",
    description:
      "USDC that came in at the account's addresses, newest first, and how far each deposit is. One that is credited is in the balance already.",
    security: needsKey,
    parameters: [rowsOnAPage, query("cursor", "nextCursor of the page before.", { type: "string" })],
    responses: answersOf(
      success(
        "One page.",
        jsonOf("DepositPage", {
          confirming: { summary: "A deposit that its chain confirms", value: { rows: [row], nextCursor: null } },
          credited: {
            summary: "A deposit that is credited",
            value: { rows: [{ ...row, state: "credited", confirmations: 12, creditedAt: "2026-11-23T10:33:41.020Z" }], nextCursor: null },
          },
        }),
      ),
      keyedRefusals,
    ),
  };
};

export const getReceipt = ({ model, usage, cost, pricing, priceVersion, at }: Examples): Operation => ({
  operationId: "getReceipt",
  tags: ["Account"],
  summary: "Read the receipt of a request",
  description:
    "Why a request cost what it cost: tokens, price, provider, times. While it runs: what is held for it. A request that failed was not charged and has none, and neither has another account's.",
  security: needsKey,
  parameters: [
    {
      name: "requestId",
      in: "path",
      required: true,
      description: "As the answer named it, in requestId or X-Request-Id.",
      schema: { type: "string" },
      example: EXAMPLE_REQUEST_ID,
    },
  ],
  responses: answersOf(
    success(
      "The receipt.",
      jsonOf("Receipt", {
        charged: {
          summary: "A request that has ended",
          value: {
            requestId: EXAMPLE_REQUEST_ID,
            state: "charged",
            at,
            model: model.id,
            provider: model.routes[0].provider,
            keyId: "key_0WAqXk3eB1c2D3e4F5g6",
            usage: { ...usage, cachedInputTokens: 0, reasoningTokens: 0 },
            cost,
            priceVersion,
            pricing,
            outcome: "complete",
            estimated: false,
            streamed: false,
            firstTokenMs: 410,
            providerMs: 640,
            paidBy: "balance",
            whenLeft: "cut",
            payment: null,
          },
        },
        running: {
          summary: "A request that runs",
          value: {
            requestId: EXAMPLE_REQUEST_ID,
            state: "in_progress",
            at,
            keyId: "key_0WAqXk3eB1c2D3e4F5g6",
            ceiling: cost.totalCost,
            deadline: "2026-11-23T10:41:07.412Z",
          },
        },
      }),
    ),
    keyedRefusals,
  ),
});
