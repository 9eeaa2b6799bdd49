// How long a new account waits for its address when a hundred thousand others have theirs. Bundled by the bench and run with DATA_DIR
// and ADDRESS_POOL_SIZE set.

import { newAccountId } from "@/lib/base/ids";
import { inTransaction } from "@/lib/db/prisma";
import { fillAddressPool } from "@/lib/wallets/custody/address-pool";
import { openWallet } from "@/lib/wallets/custody/custodial-wallet";
import { openSigner } from "@/lib/wallets/custody/seed-signer";
import { startCustody } from "@/lib/wallets/custody/start-custody";
import { openCustomers, quantile, withDatabase } from "./chains-database";

const ACCOUNTS = 100_000;
const A_STATEMENT = 10_000;
const NEW_ACCOUNTS = 100;
const WARM_UP = 10;
/** From BIP-39's own test vectors: a publicly known seed. */
const WORDS = `${"abandon ".repeat(11)}about`;

async function measure() {
  await startCustody(await openSigner(WORDS, "sandbox"));
  await fillAddressPool();
  // Far from the signer's own indexes.
  for (let made = 0; made < ACCOUNTS; made += A_STATEMENT) await openCustomers(A_STATEMENT, 1_000_000 + made);
  const waitsMs: number[] = [];
  for (let number = 0; number < WARM_UP + NEW_ACCOUNTS; number++) {
    const startedAt = performance.now();
    await inTransaction((transaction) => openWallet(newAccountId(), transaction));
    if (number >= WARM_UP) waitsMs.push(performance.now() - startedAt);
  }
  return { p50Ms: quantile(waitsMs, 0.5), p95Ms: quantile(waitsMs, 0.95), mostMs: Math.max(...waitsMs) };
}

await withDatabase(measure);
process.exit(0);
