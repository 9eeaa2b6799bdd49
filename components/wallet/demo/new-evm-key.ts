// The new test wallet's Ethereum key: created on first use, and kept in this browser only.

import type { Hex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { DemoMemory } from "./demo-memory";

const NAME = "evm-key";

export function newEvmAccount({ recall, remember }: DemoMemory): PrivateKeyAccount {
  const stored = recall(NAME);
  if (stored !== null && /^0x[0-9a-f]{64}$/.test(stored)) return privateKeyToAccount(stored as Hex);
  const key = generatePrivateKey();
  remember(NAME, key);
  return privateKeyToAccount(key);
}
