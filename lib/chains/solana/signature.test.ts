import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { base58 } from "@scure/base";
import { expect, test } from "vitest";
import { isSolanaSignature } from "./signature";

function newKey(): { address: string; privateKey: KeyObject } {
  const { privateKey } = generateKeyPairSync("ed25519");
  return { address: base58.encode(Buffer.from(privateKey.export({ format: "jwk" }).x ?? "", "base64url")), privateKey };
}

const text = "127.0.0.1:3000 wants you to sign in with your Solana account:\n\näöü 💥";

test("a key's own signature over the text is valid", () => {
  const { address, privateKey } = newKey();
  expect(isSolanaSignature(address, text, base58.encode(sign(null, Buffer.from(text), privateKey)))).toBe(true);
});

test("the published vectors of Ed25519 verify", () => {
  // RFC 8032, 7.1: tests 1 (empty message) and 2 (the byte 0x72).
  for (const [key, message, signature] of [
    [
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "r",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
  ] as const) {
    const [address, encoded] = [base58.encode(Buffer.from(key, "hex")), base58.encode(Buffer.from(signature, "hex"))];
    expect(isSolanaSignature(address, message, encoded)).toBe(true);
    expect(isSolanaSignature(address, `${message} `, encoded)).toBe(false);
  }
});

test("anything but a signature of this key over this text is refused, without throwing", () => {
  const { address, privateKey } = newKey();
  const bytes = sign(null, Buffer.from(text), privateKey);
  // The same signature with the group order added to S: some verifiers accept it, which would give one signature two forms.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = Buffer.from(
    `${(BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + order).toString(16)}`.padStart(64, "0"),
    "hex",
  );
  const turned = Buffer.concat([bytes.subarray(0, 32), s.reverse()]);
  const signature = base58.encode(bytes);
  for (const wrong of [
    "",
    "rubbish",
    base58.encode(turned),
    base58.encode(bytes.subarray(1)),
    base58.encode(Buffer.concat([bytes, Buffer.from([0])])),
    bytes.toString("base64"),
    `${signature} `,
    "1".repeat(64),
    "z".repeat(88),
    base58.encode(sign(null, Buffer.from(`${text} `), privateKey)),
  ]) {
    expect(isSolanaSignature(address, text, wrong), wrong).toBe(false);
  }
  expect(isSolanaSignature(newKey().address, text, signature)).toBe(false);
  expect(isSolanaSignature("rubbish", text, signature)).toBe(false);
});
