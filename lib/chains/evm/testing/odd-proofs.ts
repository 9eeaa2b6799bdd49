// Named corruptions of a payment proof: the sent terms differ from the signed ones, or the signature has another form.

import { type Hex, hashMessage, keccak256, numberToHex, serializeSignature, toHex } from "viem";
import { type PrivateKeyAccount, sign } from "viem/accounts";
import { type ProofTerms, proofText } from "../settlement";

export interface Signing {
  serviceName: string;
  proof: ProofTerms;
  key: { account: PrivateKeyAccount; privateKey: Hex };
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const signed = ({ key }: Signing, text: string) => sign({ hash: hashMessage(text), privateKey: key.privateKey });
const textOf = ({ serviceName, proof }: Signing) => proofText(serviceName, proof);
const signedText = async (signing: Signing, text: string): Promise<Hex> => serializeSignature(await signed(signing, text));
const altered = (change: Partial<ProofTerms> | ((proof: ProofTerms) => Partial<ProofTerms>)) => (signing: Signing) => {
  const proof = { ...signing.proof, ...(typeof change === "function" ? change(signing.proof) : change) };
  return signedText(signing, proofText(signing.serviceName, proof));
};
const rewritten = (write: (text: string) => string) => (signing: Signing) => signedText(signing, write(textOf(signing)));
const reshaped = (shape: (signature: Hex) => Hex) => async (signing: Signing) => shape(await signedText(signing, textOf(signing)));

async function highS(signing: Signing): Promise<Hex> {
  const { r, s, yParity = 0 } = await signed(signing, textOf(signing));
  return serializeSignature({ r, s: numberToHex(ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity });
}

async function compact(signing: Signing): Promise<Hex> {
  const { r, s, yParity = 0 } = await signed(signing, textOf(signing));
  return `${r}${numberToHex(BigInt(s) | (BigInt(yParity) << 255n), { size: 32 }).slice(2)}`;
}

/** The valid form. */
export const honest = reshaped((signature) => signature);

/** A key's signature is invalid in all of these; a contract wallet may accept some. */
export const spoiled = {
  "another amount": altered(({ cents }) => ({ cents: cents ^ 1n })),
  "another number": altered(({ requestNumber }) => ({ requestNumber: requestNumber ^ 1n })),
  "another time": altered(({ timestampMs }) => ({ timestampMs: timestampMs ^ 1n })),
  "another service": (signing: Signing) => signedText(signing, proofText(`${signing.serviceName}2`, signing.proof)),
  "a line more": rewritten((text) => `${text}\n`),
  "lines as Windows ends them": rewritten((text) => text.replaceAll("\n", "\r\n")),
  "a heading in lower case": rewritten((text) => text.replace(" Payment", " payment")),
  "an id in upper case": rewritten((text) => text.replace("req_", "REQ_")),
  "an id with a zero before it": rewritten((text) => text.replace("req_", "req_0")),
  "an amount with a sign": rewritten((text) => text.replace("Amount: ", "Amount: +")),
  "no prefix of personal messages": async (signing: Signing) =>
    serializeSignature(await sign({ hash: keccak256(toHex(textOf(signing))), privateKey: signing.key.privateKey })),
  "the high s": highS,
  "the compact form": compact,
  "a parity instead of 27 or 28": reshaped((signature) => `${signature.slice(0, -2) as Hex}${signature.endsWith("1b") ? "00" : "01"}`),
  "the other parity": reshaped((signature) => `${signature.slice(0, -2) as Hex}${signature.endsWith("1b") ? "1c" : "1b"}`),
  "a byte more": reshaped((signature) => `${signature}00`),
  "a byte less": reshaped((signature) => signature.slice(0, -2) as Hex),
  nothing: reshaped(() => "0x"),
  zeros: reshaped(() => `0x${"00".repeat(65)}`),
  "zeros and 27": reshaped(() => `0x${"00".repeat(64)}1b`),
  "r above the field": reshaped((signature) => `0x${"ff".repeat(32)}${signature.slice(66)}`),
  "another r": reshaped((signature) => `0x${keccak256(signature).slice(2)}${signature.slice(66)}`),
} as const;

export type Spoiling = keyof typeof spoiled;
export const spoilings = Object.keys(spoiled) as readonly Spoiling[];
