import { expect, test } from "vitest";
import { displayAddress, readWallet } from "./wallet";

test("an EVM address is stored in lower case and displayed with its EIP-55 checksum", () => {
  const shown = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"; // from EIP-55
  for (const text of [shown, shown.toLowerCase(), `0x${shown.slice(2).toUpperCase()}`]) {
    const wallet = readWallet("evm", text);
    expect(wallet).toEqual({ chain: "evm", address: shown.toLowerCase() });
    expect(wallet && displayAddress(wallet)).toBe(shown);
  }
});

test("a Solana address is 32 bytes of base58, stored and displayed unchanged", () => {
  for (const address of ["HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", "11111111111111111111111111111111"]) {
    expect(readWallet("solana", address)).toEqual({ chain: "solana", address });
    expect(displayAddress({ chain: "solana", address })).toBe(address);
  }
});

test("an invalid address for the chain is refused", () => {
  for (const text of [
    "",
    "0x",
    `0x${"a".repeat(39)}`,
    `0x${"a".repeat(41)}`,
    `0x${"g".repeat(40)}`,
    "a".repeat(40),
    ` 0x${"a".repeat(40)}`,
  ]) {
    expect(readWallet("evm", text), text).toBeNull();
  }
  for (const text of [
    "",
    "1".repeat(31),
    "1".repeat(33),
    "z".repeat(44),
    "0".repeat(32),
    "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk\n",
  ]) {
    expect(readWallet("solana", text), text).toBeNull();
  }
});
