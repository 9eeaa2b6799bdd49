import { getAddress } from "viem";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { expect, test } from "vitest";
import { changedField, type MessageField, type SignInFields, solanaSignInInput, writeSignInMessage } from "./sign-in-message";

const issuedAt = new Date(Date.UTC(2030, 0, 1, 12));
const expiresAt = new Date(Date.UTC(2030, 0, 1, 12, 5));
const fields: SignInFields = {
  wallet: { chain: "evm", address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" },
  domain: "127.0.0.1:3000",
  uri: "http://127.0.0.1:3000",
  statement: "Sign in to PennyPrompt. This costs nothing and moves no money.",
  nonce: "0VYJkD8BWA52PaA7hcYWBe",
  issuedAt,
  expiresAt,
};
const solana: SignInFields = { ...fields, wallet: { chain: "solana", address: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk" } };

test("on EVM chains the text is EIP-4361, as another implementation writes and reads it", () => {
  const { domain, uri, statement, nonce } = fields;
  const address = getAddress(fields.wallet.address);
  const theirs = createSiweMessage({
    domain,
    uri,
    statement,
    nonce,
    address,
    chainId: 31_337,
    version: "1",
    issuedAt,
    expirationTime: expiresAt,
  });
  expect(writeSignInMessage(fields)).toBe(theirs);
  expect(parseSiweMessage(writeSignInMessage(fields))).toMatchObject({
    domain,
    uri,
    address,
    nonce,
    chainId: 31_337,
    expirationTime: expiresAt,
  });
});

test("on Solana it is the text that wallets create from the fields of solana:signIn", () => {
  const input = solanaSignInInput(solana);
  // The format of Wallet Standard's reference implementation: name, address, statement, then the fields in this order.
  const written = [
    `${input.domain} wants you to sign in with your Solana account:`,
    input.address,
    "",
    input.statement,
    "",
    `URI: ${input.uri}`,
    `Version: ${input.version}`,
    `Chain ID: ${input.chainId}`,
    `Nonce: ${input.nonce}`,
    `Issued At: ${input.issuedAt}`,
    `Expiration Time: ${input.expirationTime}`,
  ].join("\n");
  expect(writeSignInMessage(solana)).toBe(written);
  expect(input.chainId).toBe("localnet");
});

test.each<[MessageField, (text: string) => string]>([
  ["domain", (text) => text.replace("127.0.0.1:3000", "evil.example")],
  ["address", (text) => text.replace("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359")],
  ["uri", (text) => text.replace("URI: http://127.0.0.1:3000", "URI: http://evil.example")],
  ["chain_id", (text) => text.replace("Chain ID: 31337", "Chain ID: 1")],
  ["nonce", (text) => text.replace("Nonce: 0VY", "Nonce: 1VY")],
  ["expiry", (text) => text.replace("12:05:00", "13:05:00")],
  ["expiry", (text) => text.slice(0, text.lastIndexOf("\n"))],
  ["text", (text) => text.replace("moves no money", "moves money")],
  ["text", (text) => `${text}\n`],
  ["domain", () => ""],
  ["address", (text) => text.split("\n")[0] ?? ""],
  ["chain_id", (text) => `${text}\nChain ID: 1`],
])("a changed text is reported by its changed field: %s", (field, change) => {
  const given = writeSignInMessage(fields);
  expect(changedField(given, given)).toBeNull();
  expect(changedField(given, change(given))).toBe(field);
});
