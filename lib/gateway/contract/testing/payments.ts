// A real chain for the contract suite's signed payments: test USDC, the settlement contract, a relayer with gas money, and wallets that
// pay. It stops with the test file, and every payment is checked against the books.

import { randomInt } from "node:crypto";
import { encodeFunctionData, type Hex, maxUint256, parseAbi } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, expect } from "vitest";
import { addIdentity } from "@/lib/access/identities";
import type { AccountId } from "@/lib/base/ids";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { proofText, settlementAddress } from "@/lib/chains/evm/settlement";
import { newAddress, startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { checkPayments } from "@/lib/payments/claims/check";
import { creditAccountOf } from "@/lib/payments/claims/credits";
import { evmNetwork } from "@/lib/payments/claims/networks";
import { deploySettlement } from "@/lib/payments/settlement/deploy-settlement";
import { findSettlementTerms } from "@/lib/payments/settlement/settlement-terms";
import { setRelayer } from "@/lib/relay/relayer";
import { writeSettlementParties } from "@/lib/relay/settlement-parties";
import { relayerOf } from "@/lib/relay/testing/relayed-chain";
import { balanceOf } from "./books";

/** The payment object that a wallet signs and a client sends. */
export interface PaymentObject {
  from: string;
  amount: number;
  signature: string;
  timestamp: number;
  requestId: string;
  network: string;
}

export interface Payer {
  account: PrivateKeyAccount;
  /** Lower case. */
  from: Hex;
  /** The ledger account of the address. */
  credit: AccountId;
}

const usdcAbi = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function blacklist(address account)",
]);

const newRequestId = (): string => `req_${randomInt(2 ** 47)}`;

/** Call it after `openService`, and await it. */
export async function openPayments() {
  // Blocks are made only for transactions.
  const chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  const relayer = relayerOf(generatePrivateKey());
  const treasury = newAddress();
  await chain.fundGas(relayer.address);
  setRelayer(relayer);
  setSandboxEvmNodes([chain.url()]);
  await writeSettlementParties({ treasury, relayer: relayer.address });
  const terms = await findSettlementTerms();
  if (!terms) throw new Error("The settlement contract has no terms.");
  await deploySettlement(terms, { waitMs: 20_000 });
  const contract = settlementAddress(terms);
  afterAll(async () => {
    try {
      expect(await checkPayments()).toEqual([]);
    } finally {
      setRelayer(undefined);
      await chain.stop();
    }
  });
  const usdc = callsOfUsdc(chain, contract);
  return {
    chain,
    terms,
    contract,
    treasury,
    relayer,
    ...usdc,
    ...payersOf(chain, usdc.approve),
    signPayment: signsFor(terms.serviceName),
    /** No node of the chain answers during `run`. */
    whileAway: async <T>(run: () => Promise<T>): Promise<T> => {
      setSandboxEvmNodes(["http://127.0.0.1:1"]);
      try {
        return await run();
      } finally {
        setSandboxEvmNodes([chain.url()]);
      }
    },
    /** The treasury's USDC base units: the sum of everything that moved. */
    moved: () => usdc.usdcOf(treasury),
  };
}

function callsOfUsdc(chain: UsdcChain, contract: Hex) {
  const { client } = chain;
  const call = async (account: PrivateKeyAccount | Hex, data: Hex, tip?: bigint): Promise<void> => {
    const fees = tip === undefined ? {} : { maxPriorityFeePerGas: tip, maxFeePerGas: 2n * tip, gas: 100_000n };
    await client.waitForTransactionReceipt({ hash: await client.sendTransaction({ account, to: chain.usdc, data, ...fees }) });
  };
  const approval = (units: bigint) => encodeFunctionData({ abi: usdcAbi, functionName: "approve", args: [contract, units] });
  return {
    /** With `tip`, wei per gas, it comes before others in its block. */
    approve: (account: PrivateKeyAccount, units = maxUint256, tip?: bigint): Promise<void> => call(account, approval(units), tip),
    /** Approves for a contract, which anvil impersonates. */
    approveAs: async (address: Hex): Promise<void> => {
      await client.impersonateAccount({ address });
      await client.setBalance({ address, value: 10n ** 18n });
      await call(address, approval(maxUint256));
      await client.stopImpersonatingAccount({ address });
    },
    usdcOf: (address: Hex): Promise<bigint> =>
      client.readContract({ address: chain.usdc, abi: usdcAbi, functionName: "balanceOf", args: [address] }),
    /** Makes USDC refuse to move anything of this address. */
    blacklist: (address: Hex): Promise<void> =>
      call(chain.minter, encodeFunctionData({ abi: usdcAbi, functionName: "blacklist", args: [address] })),
  };
}

function payersOf(chain: UsdcChain, approve: (account: PrivateKeyAccount, units: bigint) => Promise<void>) {
  const payerOf = async (account: PrivateKeyAccount, allowance: bigint): Promise<Payer> => {
    if (allowance > 0n) await approve(account, allowance);
    const from = account.address.toLowerCase() as Hex;
    return { account, from, credit: creditAccountOf(evmNetwork(), from) };
  };
  return {
    /** A wallet with USDC that has approved the contract. */
    newPayer: async ({ units = 100_000_000n, allowance = maxUint256 } = {}): Promise<Payer> =>
      payerOf(await chain.newAccount(units), allowance),
    /** The same for a program that signs on its own. */
    newPayerWithKey: async (): Promise<Payer & { privateKey: Hex }> => {
      const privateKey = generatePrivateKey();
      const account = privateKeyToAccount(privateKey);
      await chain.fundGas(account.address);
      await chain.mint(account.address, 100_000_000n);
      return { privateKey, ...(await payerOf(account, maxUint256)) };
    },
  };
}

/** Signs payments with the given fields. */
const signsFor =
  (serviceName: string) =>
  async ({ account }: Pick<Payer, "account">, fields: Partial<PaymentObject> = {}): Promise<PaymentObject> => {
    const unsigned = { from: account.address, amount: 5, timestamp: Date.now(), requestId: newRequestId(), network: "ethereum", ...fields };
    const { requestId, amount, timestamp } = unsigned;
    const requestNumber = BigInt(/^req_(\d+)$/.exec(requestId)?.[1] ?? 0);
    const message = proofText(serviceName, { requestNumber, cents: BigInt(amount), timestampMs: BigInt(timestamp) });
    return { ...unsigned, signature: fields.signature ?? (await account.signMessage({ message })) };
  };

/** The header for bodies without a payment field. */
export const proofHeader = (payment: object): Record<string, string> => ({
  "payment-proof": Buffer.from(JSON.stringify(payment)).toString("base64"),
});

/** Proves the wallet as the account's. */
export const linkWallet = (accountId: AccountId, { from }: Payer): Promise<void> =>
  inTransaction((transaction) => addIdentity(accountId, { chain: "evm", address: from }, false, transaction));

/** The credit of a payer's address, nano-USD; zero if it never had any. */
export async function creditOf({ credit }: Payer): Promise<bigint> {
  const balance = await balanceOf(credit);
  return balance < 0n ? 0n : balance;
}

interface ClaimRow {
  id: string;
  state: string;
  attempt: number;
  request_id: string | null;
  transaction: string | null;
}

/** A payer's claims, oldest first. */
export async function claimsOf({ from }: Payer): Promise<ClaimRow[]> {
  const { rows } = await pool().query<ClaimRow>("SELECT * FROM payment_claim WHERE payer = $1 ORDER BY id", [from]);
  return rows;
}
