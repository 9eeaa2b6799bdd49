// GET /api/v1/balance: what the key's account has. `available` is what the next hold may take.

import { writeJson } from "@/lib/base/json";
import { readBalance } from "@/lib/ledger/accounts";
import { authenticate } from "./caller";
import { endpoint } from "./endpoint";
import { limit } from "./limit";
import { jsonReply } from "./respond";

export const balance = endpoint("balance", async (request) => {
  const caller = await authenticate(request);
  await limit(request, caller);
  const { posted, held, available } = await readBalance(caller.accountId);
  return jsonReply(request, 200, writeJson({ balance: posted, held, available, currency: "USD" }));
});
