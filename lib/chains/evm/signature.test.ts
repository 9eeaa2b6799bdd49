import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { createNodes } from "./nodes";
import { verifyEvmSignature, verifyProofSignature } from "./signature";

const account = privateKeyToAccount(generatePrivateKey());
const address = account.address.toLowerCase();
const text = "127.0.0.1:3000 wants you to sign in with your Ethereum account:\n\näöü 💥";
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

test("a key's signature is valid with either encoding of its last byte", async () => {
  const signature = await account.signMessage({ message: text });
  expect(await verifyEvmSignature(address, text, signature)).toBe("valid");
  const parity = signature.endsWith("1b") ? "00" : "01";
  expect(await verifyEvmSignature(address, text, signature.slice(0, -2) + parity)).toBe("valid");
  expect(await verifyEvmSignature(address, text, signature.toUpperCase().replace("0X", "0x"))).toBe("valid");
});

test("the published example of personal_sign verifies", async () => {
  // From web3.js' documentation of eth.accounts.sign("Some data", …).
  const signature =
    "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c";
  expect(await verifyEvmSignature("0x2c7536e3605d9c16a7a3d7b1898e529396a65c23", "Some data", signature)).toBe("valid");
});

test("of the two forms of a signature, the one with the higher s is refused", async () => {
  const signature = await account.signMessage({ message: text });
  const high = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
  const turned = `${signature.slice(0, 66)}${high}${signature.endsWith("1b") ? "1c" : "1b"}`;
  expect(await verifyEvmSignature(address, text, turned)).toBe("invalid");
});

test("anything but a signature of this key over this text is refused, without throwing", async () => {
  const signature = await account.signMessage({ message: text });
  const zeros = "0".repeat(64);
  const order = ORDER.toString(16);
  for (const wrong of [
    "",
    "0x",
    "0x1",
    "rubbish",
    signature.slice(2),
    `${signature.slice(0, -2)}1d`,
    `${signature.slice(0, -2)}ff`,
    `0x${zeros}${zeros}1b`,
    `0x${order}${zeros}1b`,
    `0x${"f".repeat(128)}1b`,
    `0x${signature.slice(66, 130)}${signature.slice(2, 66)}1b`,
    await account.signMessage({ message: `${text} ` }),
    await account.sign({ hash: `0x${"12".repeat(32)}` }),
  ]) {
    expect(await verifyEvmSignature(address, text, wrong), wrong).toBe("invalid");
  }
});

test("a proof signed by a key is verified without a node, in the one form that the settlement contract accepts", async () => {
  const nodes = createNodes({ urls: [], chainId: 31_337 });
  const from = address as Hex;
  const signature = await account.signMessage({ message: text });
  expect(await verifyProofSignature(from, text, signature, nodes)).toBe("valid");
  expect(await verifyProofSignature(from, text, `0x${signature.slice(2).toUpperCase()}`, nodes)).toBe("valid");
  for (const wrong of ["", "0x1", "rubbish", signature.slice(2), `0x${"12".repeat(4_097)}`])
    expect(await verifyProofSignature(from, text, wrong, nodes), wrong.slice(0, 20)).toBe("invalid");
});

test("while no node can check a contract wallet, a proof's signature is not reported as invalid", async () => {
  const parity = (signature: Hex) => `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`;
  const signature = await account.signMessage({ message: text });
  const nowhere = createNodes({ urls: ["http://127.0.0.1:9"], chainId: 31_337 });
  for (const nodes of [nowhere, createNodes({ urls: [], chainId: 31_337 })])
    for (const one of ["0x", parity(signature), await account.signMessage({ message: `${text} ` })])
      expect(await verifyProofSignature(address as Hex, text, one, nodes)).toBe("unavailable");
});
