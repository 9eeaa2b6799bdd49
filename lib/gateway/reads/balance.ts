// GET /api/v1/balance: the balance of the key's account, its deposit addresses, and the withdrawals that left it and are not paid yet.
// `available` is the most that the next hold may take.

import { writeJson } from "@/lib/base/json";
import { readBalance } from "@/lib/ledger/accounts";
import { findPayableAddresses } from "@/lib/wallets/deposits/payable-addresses";
import { listOpenWithdrawals } from "@/lib/wallets/withdrawals/queue";
import { authenticateReader, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import type { Balance } from "../openapi/answers/account";

export const balance = endpoint("balance", async (request) => {
  const caller = await authenticateReader(request);
  await limit(request, caller);
  const { accountId } = caller;
  const [{ posted, held, available }, wallet, open] = await Promise.all([
    readBalance(accountId),
    findPayableAddresses(accountId),
    listOpenWithdrawals(accountId),
  ]);
  const withdrawals = open.map(({ id, chain, amount, fee, state, waitsFor, ahead }) => ({
    id,
    chain,
    amount,
    fee,
    state,
    waitsFor,
    ahead: ahead?.count ?? null,
  }));
  const body: Balance = { balance: posted, held, available, currency: "USD", wallet, withdrawals };
  return jsonReply(request, 200, writeJson(body));
});
