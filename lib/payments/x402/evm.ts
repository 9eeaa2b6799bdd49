// x402 on Base: the payer signs an EIP-3009 authorization of USDC to our treasury, and anybody may execute it, once. The authorization is
// checked against our requirements here; only a contract wallet's signature needs a call to the chain.

import { getAddress, type Hex } from "viem";
import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { fromUsdcUnits } from "@/lib/base/money";
import { baseChainId } from "@/lib/chains/evm/base";
import { verifyHashSignature } from "@/lib/chains/evm/signature";
import { type Authorization, authorizationHash, findUsdc, usdcDomain } from "@/lib/chains/evm/usdc";
import { address, bytes, bytes32 } from "@/lib/chains/evm/wire";
import type { JsonObject } from "../claims/claim";
import { findSettlementTerms } from "../settlement/settlement-terms";
import type { PaymentRefusal, PaymentVerdict, Price, ReadPayment, SignedPayment, X402Network } from "./network";
import { digits, type PaymentRequirements } from "./wire";

/** The validity that a payer's authorization is requested to have. */
const VALID_SECONDS = 300;
/** With less time left it may not reach a block in time. */
const MIN_SECONDS_LEFT = 10;
/** A claim is watched until its time is over, since anybody may execute it; and its use is searched no further back. */
const MAX_SECONDS_LEFT = 3_600;

/** The highest value of an EVM word. */
const MAX_UINT256 = 2n ** 256n - 1n;
const amount = digits.transform(BigInt).refine((value) => value <= MAX_UINT256);

const form = z.object({
  signature: bytes,
  authorization: z.object({ from: address, to: address, value: amount, validAfter: amount, validBefore: amount, nonce: bytes32 }),
});

/** The stored form of a claimed authorization, all in text. */
const kept = form;

export interface SignedAuthorization {
  authorization: Authorization;
  signature: Hex;
}

/** Reads what `read` stored for settling. @throws Error when it is something else */
export const readKeptAuthorization = (settlement: JsonObject): SignedAuthorization => kept.parse(settlement);

/** The network of this service's EVM chain. */
export const evmNetwork = (): X402Network => {
  const chainId = baseChainId();
  return {
    scheme: "exact_evm",
    network: `eip155:${chainId}`,
    amountMismatch: "invalid_exact_evm_payload_authorization_value_mismatch",
    findRequirements,
    findFormerRequirements: findRequirements,
    read,
    verify,
    checkTime,
  };
};

const refused = (reason: PaymentRefusal["reason"], errorReason: string, message: string) =>
  ({ kind: "refused", refusal: { reason, errorReason, message } }) as const;

async function findRequirements({ units, bodyHash }: Price): Promise<PaymentRequirements | null> {
  const chainId = baseChainId();
  const terms = await findSettlementTerms();
  if (terms === null || findUsdc(chainId) === null) return null;
  const { name, version, verifyingContract } = usdcDomain(chainId);
  return {
    scheme: "exact",
    network: `eip155:${chainId}`,
    amount: `${units}`,
    asset: getAddress(verifyingContract),
    payTo: getAddress(terms.treasury),
    maxTimeoutSeconds: VALID_SECONDS,
    extra: { name, version, bodyHash },
  };
}

function read(payload: Readonly<Record<string, unknown>>, wanted: PaymentRequirements): ReadPayment {
  const parsed = form.safeParse(payload);
  if (!parsed.success) return refused("malformed", "invalid_payload", "The payload has no signed EIP-3009 authorization");
  const { authorization, signature } = parsed.data;
  if (authorization.to !== wanted.payTo.toLowerCase()) {
    return refused(
      "malformed",
      "invalid_exact_evm_recipient_mismatch",
      `The authorization pays ${authorization.to} instead of ${wanted.payTo}`,
    );
  }
  const settlement = {
    signature,
    authorization: {
      ...authorization,
      value: `${authorization.value}`,
      validAfter: `${authorization.validAfter}`,
      validBefore: `${authorization.validBefore}`,
    },
  };
  const payment: SignedPayment = {
    payer: authorization.from,
    nonce: authorization.nonce,
    amount: fromUsdcUnits(authorization.value),
    validUntil: dateOf(authorization.validBefore),
    settlement,
  };
  return { kind: "read", payment };
}

/** The latest second that a Date can hold. */
const LAST_SECOND = 8_640_000_000_000n;
const dateOf = (seconds: bigint): Date => new Date(Number(seconds < LAST_SECOND ? seconds : LAST_SECOND) * 1_000);

async function verify({ settlement }: SignedPayment): Promise<PaymentVerdict> {
  const { authorization, signature } = readKeptAuthorization(settlement);
  const hash = authorizationHash(authorization, baseChainId());
  const verdict = await verifyHashSignature(authorization.from, { hash, signature });
  if (verdict === "valid") return { kind: "good" };
  if (verdict === "unavailable") return { kind: "unavailable" };
  const message =
    `The signature is not ${authorization.from}'s signature of this authorization. USDC accepts 65-byte signatures (low s, v 27 or 28) ` +
    "and signatures that a deployed contract wallet confirms";
  return refused("bad_signature", "invalid_exact_evm_signature", message);
}

function checkTime({ settlement }: SignedPayment): PaymentRefusal | null {
  const { validAfter, validBefore } = readKeptAuthorization(settlement).authorization;
  const seconds = BigInt(Math.floor(nowMs() / 1_000));
  const before = "invalid_exact_evm_payload_authorization_valid_before";
  if (validBefore < seconds + BigInt(MIN_SECONDS_LEFT)) {
    const message = `The authorization expires within ${MIN_SECONDS_LEFT} seconds. Sign a new one`;
    return { reason: "expired", errorReason: before, message };
  }
  if (validBefore > seconds + BigInt(MAX_SECONDS_LEFT)) {
    const message = `The authorization is valid for more than ${MAX_SECONDS_LEFT} seconds. Sign one that expires after ${VALID_SECONDS} seconds`;
    return { reason: "malformed", errorReason: before, message };
  }
  if (validAfter <= seconds) return null;
  const message = "The authorization is not valid yet. Sign one with validAfter 0";
  return { reason: "malformed", errorReason: "invalid_exact_evm_payload_authorization_valid_after", message };
}
