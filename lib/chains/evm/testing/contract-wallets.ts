// Contract wallets for tests, assembled by hand: each is a few instructions, so that its behaviour is obvious.

import { type Hex, keccak256, pad, slice } from "viem";

/** Calldata of isValidSignature(bytes32 hash, bytes signature): selector, hash at 4, 0x40 at 36, length at 68, r s v at 100. */
export const contractWallets = {
  /** Accepts signatures of `owner`'s key, as most single-owner wallets do. */
  ownedBy: (owner: string): Hex =>
    `0x${[
      "600435600052", // memory[0] = hash
      "60a43560f81c602052", // memory[32] = v, the first byte of the word at 164
      "606435604052", // memory[64] = r
      "608435606052", // memory[96] = s
      "60206000608060006001", // call precompile 1, ecrecover, with 128 bytes at 0, for 32 bytes at 0
      "5afa50", // static call with all gas; its output shows whether it succeeded
      `60005173${owner.slice(2)}14`, // recovered == owner
      "631626ba7e0260e01b", // × magic, moved to the left: the magic or 0
      "60005260206000f3", // return 32 bytes
    ].join("")}`,
  wrongMagic: "0x63ffffffff60e01b60005260206000f3",
  /** Returns the number 1, as if the answer were a boolean. */
  justTrue: "0x600160005260206000f3",
  /** Returns nothing. */
  silent: "0x00",
  /** Returns only the magic's four bytes, not a whole word. */
  short: "0x631626ba7e60e01b60005260046000f3",
  reverts: "0x60006000fd",
  /** Returns the magic in its revert. */
  revertsWithMagic: "0x631626ba7e60e01b60005260206000fd",
  invalid: "0xfe",
  /** Loops forever. */
  burnsGas: "0x5b600056",
  /** Tries to return 16 MB. */
  hugeAnswer: "0x62ffffff6000f3",
  /** Accepts every signature, as a wallet may. */
  takesAll: "0x631626ba7e60e01b60005260206000f3",
} as const;

/** Creation code that deploys `runtime`: copies everything after these nine bytes to memory and returns it. */
function creationCode(runtime: Hex): Hex {
  const length = ((runtime.length - 2) / 2).toString(16).padStart(2, "0");
  return `0x60${length}8060093d393df3${runtime.slice(2)}`;
}

/** The CREATE2 factory that anvil predeploys, as most public chains have it: called with salt and creation code. */
export const factory = "0x4e59b44847b379578588920ca78fbf26c0b4956c";

/** What to send to the factory, and where the contract will be. */
export function undeployed(runtime: Hex): { address: Hex; factoryData: Hex } {
  const code = creationCode(runtime);
  const salt = pad("0x01");
  const address = slice(keccak256(`0xff${factory.slice(2)}${salt.slice(2)}${keccak256(code).slice(2)}`), 12);
  return { address, factoryData: `${salt}${code.slice(2)}` };
}
