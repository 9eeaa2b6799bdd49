// The ways of settling, by scheme.

import type { PaymentScheme } from "./claim";
import { settleExactEvm } from "./settle-exact-evm";
import { settleExactSvm } from "./settle-exact-svm";
import { settleProof } from "./settle-proof";
import type { SettleWay } from "./settle-way";

export const ways: Readonly<Record<PaymentScheme, SettleWay>> = {
  proof: settleProof,
  exact_evm: settleExactEvm,
  exact_svm: settleExactSvm,
};
