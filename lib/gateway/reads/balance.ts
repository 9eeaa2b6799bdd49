// GET /api/v1/balance: the balance of the key's account, and its deposit addresses. `available` is the most that the next hold may take.

import { writeJson } from "@/lib/base/json";
import { readBalance } from "@/lib/ledger/accounts";
import { findPayableAddresses } from "@/lib/wallets/deposits/payable-addresses";
import { authenticateReader, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";

export const balance = endpoint("balance", async (request) => {
  const caller = await authenticateReader(request);
  await limit(request, caller);
  const { accountId } = caller;
  const [{ posted, held, available }, wallet] = await Promise.all([readBalance(accountId), findPayableAddresses(accountId)]);
  const body = { balance: posted, held, available, currency: "USD", wallet };
  return jsonReply(request, 200, writeJson(body));
});
