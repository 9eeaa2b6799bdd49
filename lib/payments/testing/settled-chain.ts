// A real EVM chain with the settlement contract on it, a relayer with gas money, and payers who approved it, for tests of payments.

import { randomBytes, randomInt } from "node:crypto";
import { type Hex, type PrivateKeyAccount, parseAbi, toHex } from "viem";
import { setClock } from "@/lib/base/clock";
import { fromCents } from "@/lib/base/money";
import { findBlock } from "@/lib/chains/evm/blocks";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { proofText, type SettlementTerms } from "@/lib/chains/evm/settlement";
import { startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { type Authorization, authorizationTypedData, encodeAuthorizedTransfer } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { setRelayer } from "@/lib/relay/relayer";
import { runRelay } from "@/lib/relay/run";
import { writeSettlementParties } from "@/lib/relay/settlement-parties";
import { openSigner } from "@/lib/wallets/custody/seed-signer";
import { hardhatWords } from "@/lib/wallets/custody/testing/seeds";
import { getClaim, type PaymentClaim, type PaymentTerms } from "../claims/claim";
import { claimPayment } from "../claims/claim-payment";
import { creditPayment } from "../claims/claim-steps";
import { evmNetwork } from "../claims/networks";
import { settlePayments } from "../followup/run";
import { deploySettlement } from "../settlement/deploy-settlement";
import { settleClaim } from "../settlement/settle";
import { findSettlementTerms } from "../settlement/settlement-terms";

/** Blocks until a block is final. */
const TO_FINAL = 6;
export const UNITS_PER_CENT = 10_000n;
const erc20 = parseAbi(["function approve(address, uint256) returns (bool)", "function balanceOf(address) view returns (uint256)"]);

/** A chain that makes a block for each transaction, and otherwise only on demand. The caller stops it. */
export async function startSettledChain() {
  const chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  await chain.mine(2 * TO_FINAL);
  setSandboxEvmNodes([chain.url()]);
  const signer = await openSigner(hardhatWords, "sandbox");
  await chain.fundGas(signer.relayer.address);
  setRelayer(signer.relayer);
  await writeSettlementParties({ treasury: signer.treasury.base, relayer: signer.relayer.address });
  let latestMs = Date.now();
  const restoreClock = setClock(() => latestMs);
  /** Many blocks may lie in the future: the clock follows them. */
  const readClock = async () => {
    const latest = await findBlock("latest");
    latestMs = Math.max(latestMs + 1, (latest?.timestampS ?? 0) * 1_000);
  };
  /** Moves the chain's time too, so that signatures expire there. */
  const passMs = async (ms: number) => {
    await chain.client.increaseTime({ seconds: Math.ceil(ms / 1_000) });
    await chain.mine(1);
    await readClock();
  };
  await readClock();
  const terms = await findSettlementTerms();
  if (!terms) throw new Error("there are no terms of settlement");
  const { address: contract } = await deploySettlement(terms);

  /** Runs `count` rounds of the relay and of the payments' job. */
  const rounds = async (count = 2) => {
    for (let round = 0; round < count; round++) {
      await readClock();
      await runRelay({ resendAfterMs: 0 });
      await settlePayments.run();
    }
  };
  const recordFinal = async () => {
    await chain.mine(TO_FINAL);
    await rounds(2);
  };
  const stop = async () => {
    await settlePayments.end();
    setRelayer(undefined);
    restoreClock();
    await chain.stop();
  };
  const payers = openPayers(chain, contract);
  const treasuryUnits = () => payers.balanceOf(signer.treasury.base);
  return {
    ...{ ...chain, ...payers, signer, relayer: signer.relayer, terms, contract, treasuryUnits },
    ...{ readClock, clockMs: () => latestMs, passMs, rounds, recordFinal, stop },
  };
}

function openPayers(chain: UsdcChain, contract: Hex) {
  const approve = async (account: PrivateKeyAccount, cents: bigint) => {
    const args = [contract, cents * UNITS_PER_CENT] as const;
    const hash = await chain.client.writeContract({ account, address: chain.usdc, abi: erc20, functionName: "approve", args });
    await chain.client.waitForTransactionReceipt({ hash });
  };
  /** A payer with `cents` cents, of which the contract may move `allowedCents`. */
  const newPayer = async (cents = 1_000n, allowedCents = 1_000_000n): Promise<PrivateKeyAccount> => {
    const account = await chain.newAccount(cents * UNITS_PER_CENT);
    await approve(account, allowedCents);
    return account;
  };
  const balanceOf = (address: Hex) =>
    chain.client.readContract({ address: chain.usdc, abi: erc20, functionName: "balanceOf", args: [address] });
  return { approve, newPayer, balanceOf };
}

export type SettledChain = Awaited<ReturnType<typeof startSettledChain>>;

export type ProofWish = Partial<Omit<PaymentTerms, "amount" | "scheme">> & { cents?: bigint; timestampMs?: number };

/** A signed proof for one request, ready to be claimed. */
export async function signProof(
  chain: { terms: SettlementTerms; clockMs: () => number },
  payer: PrivateKeyAccount,
  { cents = 5n, timestampMs = chain.clockMs(), ...wish }: ProofWish = {},
): Promise<PaymentTerms> {
  const { nonce = `req_${randomInt(2 ** 47)}` } = wish;
  const requestNumber = BigInt(nonce.slice("req_".length));
  const text = proofText(chain.terms.serviceName, { requestNumber, cents, timestampMs: BigInt(timestampMs) });
  const signature = await payer.signMessage({ message: text });
  return {
    ...{
      scheme: "proof",
      network: evmNetwork(),
      payer: payer.address.toLowerCase(),
      amount: fromCents(cents),
      accountId: null,
      keyId: null,
    },
    ...{ idempotencyKey: null, identifier: null, bodyHash: randomBytes(32), validUntil: new Date(timestampMs + 300_000) },
    settlement: { cents: `${cents}`, timestampMs: `${timestampMs}`, signature, relayer: chain.terms.relayer },
    ...wish,
    nonce,
  };
}

/** @throws Error when the payment is not claimed for this request */
export async function claim(terms: PaymentTerms): Promise<PaymentClaim> {
  const taken = await claimPayment(terms);
  if (taken.kind !== "claimed") throw new Error(taken.kind);
  return taken.claim;
}

/** Claims, settles and credits, as a request does. @throws Error when it is not paid */
export async function pay(terms: PaymentTerms): Promise<PaymentClaim> {
  const claimed = await claim(terms);
  const settled = await settleClaim(claimed, 30_000);
  if (settled.kind !== "paid") throw new Error(JSON.stringify(settled));
  await creditPayment(claimed, settled);
  return getClaim(claimed.id);
}

/** The ledger entries, in nano-USD, that `account` ever got from payments. */
export async function creditedTo(account: string): Promise<bigint[]> {
  const { rows } = await pool().query<{ amount: bigint }>(
    "SELECT e.amount FROM entry e JOIN transfer t ON t.id = e.transfer_id WHERE e.account_id = $1 AND t.kind = 'payment' ORDER BY t.id",
    [account],
  );
  return rows.map(({ amount }) => amount);
}

/** An x402 payer's signature for one request, an EIP-3009 authorization to the treasury, and the claim's terms for it. */
export async function signExact(
  chain: Pick<SettledChain, "terms" | "clockMs" | "chainId">,
  payer: PrivateKeyAccount,
  { cents = 5n, validMs = 60_000 }: { cents?: bigint; validMs?: number } = {},
): Promise<{ terms: PaymentTerms; call: { to: Hex; data: Hex } }> {
  const validBefore = BigInt(Math.floor((chain.clockMs() + validMs) / 1_000));
  const authorization: Authorization = {
    ...{ from: payer.address.toLowerCase() as Hex, to: chain.terms.treasury, value: cents * UNITS_PER_CENT },
    ...{ validAfter: 0n, validBefore, nonce: toHex(randomBytes(32)) },
  };
  const signature = await payer.signTypedData(authorizationTypedData(authorization, chain.chainId));
  const words = { value: `${authorization.value}`, validAfter: "0", validBefore: `${validBefore}` };
  const terms: PaymentTerms = {
    ...{ scheme: "exact_evm", network: evmNetwork(), payer: authorization.from, nonce: authorization.nonce, amount: fromCents(cents) },
    ...{
      accountId: null,
      keyId: null,
      idempotencyKey: null,
      identifier: null,
      bodyHash: randomBytes(32),
      validUntil: new Date(Number(validBefore) * 1_000),
    },
    settlement: { signature, authorization: { ...authorization, ...words } },
  };
  return { terms, call: { to: chain.terms.usdc, data: encodeAuthorizedTransfer(authorization, signature) } };
}
