// Custody for tests that open accounts: a signer with a new seed and free addresses.

import { fillAddressPool } from "@/lib/wallets/custody/address-pool";
import { createWords } from "@/lib/wallets/custody/mnemonic";
import { openSigner } from "@/lib/wallets/custody/seed-signer";
import { startCustody } from "@/lib/wallets/custody/start-custody";

/** Enough addresses for the accounts of one test file. */
export async function openTestCustody(): Promise<void> {
  await startCustody(await openSigner(createWords(), "sandbox"));
  await fillAddressPool();
}
