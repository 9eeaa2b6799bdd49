// Sign-in with x: a wallet signs a text instead of money, and its credit pays. The text comes with a 402 and is good for that very request,
// at its price, for five minutes. It is stored nowhere: its nonce ends with a tag that only this service can make, over everything that the
// text is good for. The nonce is used up in the commit of the hold.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { now, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { randomBase62 } from "@/lib/base/ids";
import type { Json } from "@/lib/base/json";
import { formatUsd, fromUsdcUnits } from "@/lib/base/money";
import { pepper, peppers } from "@/lib/base/pepper";
import { publicUrl } from "@/lib/base/public-url";
import { isSameText } from "@/lib/base/same-text";
import { writeSignInMessage } from "@/lib/chains/sign-in-message";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import { networkOf } from "@/lib/payments/claims/networks";
import type { PaymentRefusal, Price } from "@/lib/payments/x402/network";
import { resource } from "./offers";

/** The extension's name, and its header's. */
export const SIGN_IN = "sign-in-with-x";

const LIFE_MS = 5 * 60_000;
const RANDOM_CHARACTERS = 22;
const TAG_CHARACTERS = 32;
const MAX_SIGNATURE_CHARACTERS = 10_000;

const chains = [
  { chain: "evm", type: "eip191" },
  { chain: "solana", type: "ed25519" },
] as const;

/** The extension of a 402: the text to sign for this request, in its fields, and the chains of the wallets that may. */
export function signInExtension(price: Price): Json {
  const issuedAt = now();
  const [issued, expires] = [issuedAt.toISOString(), new Date(issuedAt.getTime() + LIFE_MS).toISOString()];
  const random = randomBase62(RANDOM_CHARACTERS);
  return {
    info: {
      domain: domain(),
      uri: resource().url,
      version: "1",
      statement: statementOf(price),
      nonce: random + tagOf(random, { issued, expires, price }),
      issuedAt: issued,
      expirationTime: expires,
    },
    supportedChains: chains.map(({ chain, type }) => ({ chainId: networkOf(chain), type })),
    schema,
  };
}

const domain = (): string => new URL(publicUrl()).host;

const statementOf = ({ units }: Price): string =>
  `Pay for one request to ${config().SERVICE_NAME} from this wallet's credit, at most ${formatUsd(fromUsdcUnits(units))}.`;

interface Issued {
  /** ISO 8601. */
  issued: string;
  expires: string;
  price: Price;
}

/** Letters and digits, as EIP-4361 requires of a nonce. */
const tagOf = (random: string, { issued, expires, price }: Issued, under: string = pepper()): string =>
  createHmac("sha256", under)
    .update(`x402 sign-in\n${random}\n${issued}\n${expires}\n${price.units}\n${price.bodyHash}`)
    .digest("hex")
    .slice(0, TAG_CHARACTERS);

const text = { type: "string" };
const time = { type: "string", format: "date-time" };

/** The schema of a client's answer, as x402's own packages describe it, without the fields that our texts never have. */
const schema: Json = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    domain: text,
    address: text,
    statement: text,
    uri: { type: "string", format: "uri" },
    version: text,
    chainId: text,
    type: text,
    nonce: text,
    issuedAt: time,
    expirationTime: time,
    signature: text,
  },
  required: ["domain", "address", "uri", "version", "chainId", "type", "nonce", "issuedAt", "signature"],
};

const form = z.object({
  domain: z.string(),
  address: z.string(),
  uri: z.string(),
  chainId: z.string(),
  type: z.string(),
  nonce: z.string().regex(/^[0-9A-Za-z]{54}$/),
  issuedAt: z.iso.datetime(),
  expirationTime: z.iso.datetime(),
  signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
});

export interface SignedIn {
  wallet: Wallet;
  /** CAIP-2. */
  network: string;
  nonce: string;
  /** The whole text, as the wallet must have signed it. */
  text: string;
  signature: string;
}

type ReadSignIn = { kind: "read"; signedIn: SignedIn } | { kind: "refused"; refusal: PaymentRefusal };

const refuse = (reason: PaymentRefusal["reason"], errorReason: string, message: string): ReadSignIn => ({
  kind: "refused",
  refusal: { reason, errorReason, message: `${SIGN_IN}: ${message}` },
});

/** Reads the header, and checks everything but the signature. */
export function readSignIn(header: string, price: Price): ReadSignIn {
  const given = parseHeader(header);
  if (!given) return refuse("malformed", "invalid_payload", "is not base64-encoded JSON of a signed message");
  if (given.domain !== domain()) return refuse("malformed", "invalid_siwx_domain_mismatch", `is for another domain. This is ${domain()}`);
  if (given.uri !== resource().url)
    return refuse("malformed", "invalid_siwx_uri_mismatch", `is for another URL. This is ${resource().url}`);
  const { nonce, issuedAt: issued, expirationTime: expires } = given;
  const random = nonce.slice(0, RANDOM_CHARACTERS);
  if (!peppers().some((each) => isSameText(nonce.slice(RANDOM_CHARACTERS), tagOf(random, { issued, expires, price }, each))))
    return refuse(
      "replayed",
      "invalid_siwx_nonce",
      "this message was issued for another request. Send this request without it, and sign the new message",
    );
  if (Date.parse(expires) <= nowMs())
    return refuse("expired", "invalid_siwx_expired", "has expired. Send the request without it, and sign the new message");
  const network = chains.find(({ chain, type }) => networkOf(chain) === given.chainId && type === given.type);
  if (!network)
    return refuse(
      "network_unsupported",
      "invalid_siwx_unsupported_chain",
      "this chain is not supported. supportedChains lists the supported chains",
    );
  const wallet = readWallet(network.chain, given.address);
  if (!wallet) return refuse("malformed", "invalid_siwx_malformed_signature", "address is not valid on its chain");
  return {
    kind: "read",
    signedIn: { wallet, network: given.chainId, nonce, text: writeText(wallet, given, price), signature: given.signature },
  };
}

/** From our own fields, so that nothing else that the client says can be in the signed text. */
const writeText = (wallet: Wallet, { chainId, nonce, issuedAt, expirationTime }: z.infer<typeof form>, price: Price): string =>
  writeSignInMessage({
    wallet,
    domain: domain(),
    uri: resource().url,
    statement: statementOf(price),
    nonce,
    issuedAt: new Date(issuedAt),
    expiresAt: new Date(expirationTime),
    chainId: chainId.slice(chainId.indexOf(":") + 1),
  });

function parseHeader(header: string): z.infer<typeof form> | null {
  // Buffer decodes any text as base64: invalid input fails as JSON.
  try {
    return form.parse(JSON.parse(Buffer.from(header, "base64").toString("utf8")));
  } catch {
    return null;
  }
}
