// The settlement strategies, by scheme.

import type { PaymentScheme } from "../claims/claim";
import { settleExactEvm } from "./settle-exact-evm";
import { settleExactSvm } from "./settle-exact-svm";
import { settleProof } from "./settle-proof";
import type { SettlementStrategy } from "./settlement-strategy";

export const settlementStrategies: Readonly<Record<PaymentScheme, SettlementStrategy>> = {
  proof: settleProof,
  exact_evm: settleExactEvm,
  exact_svm: settleExactSvm,
};
