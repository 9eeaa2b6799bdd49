// The operations of an account: its balance, its deposits, its usage, and the receipt of one request.

import { charged, chargedRequest } from "../answers/account";
import { EXAMPLE_REQUEST_ID, type Examples } from "../examples";
import { answersOf, exampleOf, jsonOf, needsKey, success } from "../operation";
import type { JsonSchema, Operation, Parameter } from "../types";

/** Well-formed addresses and names that belong to nobody. */
const wallet = { base: "0x52908400098527886E0F7030069857D2E4169EE7", solana: "8mCk1vQkTzQ4yYp2uC6gGm1oZ3dN5rXw7sVbHjKqLtEf" };
const transaction = "0x9f0c1d2e3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";

export const getBalance = ({ cost }: Examples): Operation => ({
  operationId: "getBalance",
  tags: ["Account"],
  summary: "Get the balance",
  description:
    "The account's balance, the part reserved for running requests, the available part, your deposit addresses, and your open withdrawals.",
  security: needsKey,
  responses: answersOf(
    success(
      "The balance.",
      jsonOf("Balance", {
        balance: {
          summary: "A balance while a request runs",
          value: {
            balance: 25,
            held: cost.totalCost,
            available: Number((25 - cost.totalCost).toFixed(9)),
            currency: "USD",
            wallet,
            withdrawals: [],
          },
        },
      }),
    ),
    "key",
  ),
});

// Written by hand: the schema that validates a query parses text, and describes its numbers and lists only as text. A test checks each
// bound on the running service.
export const query = (name: string, description: string, schema: JsonSchema, example?: string): Parameter => ({
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

export const rowsOnAPage = query("limit", "Rows per page.", { type: "integer", minimum: 1, maximum: 1_000, default: 100 });

const usageQuery: readonly Parameter[] = [
  query("from", "Start: a date or a time. Default: 30 days before to.", instant),
  query("to", "End, exclusive: a date or a time, up to 366 days after from. Default: the end of today, UTC.", instant),
  query(
    "groupBy",
    "day, model and key, comma-separated. Default: one row per request.",
    { type: "string", pattern: "^(day|model|key)(,(day|model|key)){0,2}$" },
    "day,model",
  ),
  rowsOnAPage,
  query("cursor", "nextCursor of the previous page. Keep from, to and groupBy the same.", { type: "string" }),
];

const charge = ({ model, usageInKinds: usage, cost, costByKind, pricing, priceVersion, at }: Examples) => ({
  requestId: EXAMPLE_REQUEST_ID,
  state: "charged",
  at,
  model: model.id,
  provider: model.routes[0].provider,
  keyId: "key_0WAqXk3eB1c2D3e4F5g6",
  usage,
  cost,
  priceVersion,
  pricing,
  costByKind,
  outcome: "complete",
  firstTokenMs: 410,
  providerMs: 640,
  paidBy: "balance",
  whenLeft: "cut",
});

export const getUsage = (examples: Examples): Operation => {
  const { model, usageInKinds: usage, cost } = examples;
  const totals = { requests: 1, usage, cost };
  const page = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z", totals, nextCursor: null };
  return {
    operationId: "getUsage",
    tags: ["Account"],
    summary: "List charged requests",
    description:
      "The account's charged requests, individually or grouped, with exact totals. Requests charged while you page through the results are not included. A key without the scope account only sees its own requests.",
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
            summary: "One row per request",
            value: { ...page, groupBy: [], rows: [exampleOf(chargedRequest, charge(examples))] },
          },
        }),
      ),
      "key",
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
    summary: "List deposits",
    description:
      "USDC received at the account's deposit addresses, newest first, with the state of each deposit. Only credited deposits are part of the balance.",
    security: needsKey,
    parameters: [rowsOnAPage, query("cursor", "nextCursor of the previous page.", { type: "string" })],
    responses: answersOf(
      success(
        "One page.",
        jsonOf("DepositPage", {
          confirming: { summary: "A deposit being confirmed", value: { rows: [row], nextCursor: null } },
          credited: {
            summary: "A credited deposit",
            value: { rows: [{ ...row, state: "credited", confirmations: 12, creditedAt: "2026-11-23T10:33:41.020Z" }], nextCursor: null },
          },
        }),
      ),
      "key",
    ),
  };
};

const requestIdInPath: Parameter = {
  name: "requestId",
  in: "path",
  required: true,
  description: "The requestId of the response, also in X-Request-Id.",
  schema: { type: "string" },
  example: EXAMPLE_REQUEST_ID,
};

export const getReceipt = (examples: Examples): Operation => ({
  operationId: "getReceipt",
  tags: ["Account"],
  summary: "Get a request's receipt",
  description:
    "How a request's cost was calculated: tokens, prices, provider and timings. While the request runs, the amount reserved for it. Requests that were not charged have no receipt. A key without the scope account can only read the receipts of its own requests.",
  security: needsKey,
  parameters: [requestIdInPath],
  responses: answersOf(
    success(
      "The receipt.",
      jsonOf("Receipt", {
        charged: {
          summary: "A finished request",
          value: exampleOf(charged, charge(examples)),
        },
        running: {
          summary: "A running request",
          value: {
            requestId: EXAMPLE_REQUEST_ID,
            state: "in_progress",
            at: examples.at,
            keyId: "key_0WAqXk3eB1c2D3e4F5g6",
            ceiling: examples.cost.totalCost,
            deadline: "2026-11-23T10:41:07.412Z",
          },
        },
      }),
    ),
    "key",
  ),
});
