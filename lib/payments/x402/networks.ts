// The networks that x402 payments come over, in the order that payers should prefer.

import { evmNetwork } from "./evm";
import type { X402Network } from "./network";
import { svmNetwork } from "./svm";

export const x402Networks = (): readonly X402Network[] => [evmNetwork(), svmNetwork()];
