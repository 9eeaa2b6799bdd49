// Key derivation from the seed's words, against published vectors, so that any other wallet derives the same addresses from the same words.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { HDKey } from "@scure/bip32";
import { PublicKey } from "@solana/web3.js";
import fc from "fast-check";
import { HDKey as Slip10Key } from "micro-key-producer/slip10.js";
import { expect, test } from "vitest";
import { deriveTokenAccount, isOnCurve } from "@/lib/chains/solana/token-address";
import { ATTESTATION_INDEX, areAuthentic, deriveBaseAddress, RESERVED_INDEX } from "./addresses";
import { createWords, readWords } from "./mnemonic";
import { Seed } from "./seed";
import { openSigner } from "./seed-signer";
import { abandonWords, hardhatWords } from "./testing/seeds";

const bytes = (hex: string) => Buffer.from(hex, "hex");
const vectorSeed = bytes("000102030405060708090a0b0c0d0e0f");

test("BIP-32, test vector 1", () => {
  const master = HDKey.fromMasterSeed(vectorSeed);
  const published = {
    m: "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
    "m/0'": "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
    "m/0'/1": "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ",
    "m/0'/1/2'": "xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5",
    "m/0'/1/2'/2": "xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV",
    "m/0'/1/2'/2/1000000000":
      "xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy",
  };
  for (const [path, xpub] of Object.entries(published)) expect(master.derive(path).publicExtendedKey, path).toBe(xpub);
});

test("SLIP-0010, test vector 1 for ed25519", () => {
  const master = Slip10Key.fromMasterSeed(vectorSeed);
  const published = {
    m: "a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed",
    "m/0'": "8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c",
    "m/0'/1'": "1932a5270f335bed617d5b935c80aedb1a35bd9fc1e31acafd5372c30f5c1187",
    "m/0'/1'/2'": "ae98736566d30ed0e9d2f4486a64bc95740d89c7db33f52121f8ea8f76ff0fc1",
    "m/0'/1'/2'/2'": "8abae2d66361c879b900d204ad2cc4984fa2aa344dd7ddc46007329ac76c429c",
    "m/0'/1'/2'/2'/1000000000'": "3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a",
  };
  for (const [path, key] of Object.entries(published)) {
    expect(Buffer.from(master.derive(path).publicKeyRaw).toString("hex"), path).toBe(key);
  }
});

test("well-known mnemonics give their well-known addresses", async () => {
  const hardhat = await openSigner(hardhatWords, "sandbox");
  const bases = await Promise.all([0, 1, 2].map(async (index) => (await hardhat.deriveAddresses(index)).baseAddress));
  expect(bases).toEqual([
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  ]);
  const abandon = await openSigner(abandonWords, "sandbox");
  expect(await abandon.deriveAddresses(0)).toMatchObject({
    solanaAddress: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
    baseAddress: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  });
  expect(abandon.fingerprint).toBe("73c5da0a");
});

test("the xpub alone derives the same Base addresses, and contains no private key", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  const account = HDKey.fromExtendedKey(signer.xpub);
  expect(account.privateKey).toBeNull();
  for (const index of [0, 1, 999, RESERVED_INDEX - 1]) {
    expect(deriveBaseAddress(account, index)).toBe((await signer.deriveAddresses(index)).baseAddress);
  }
});

test("reserved indexes are refused for custodial wallets: the attestation key's, and the operator's", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  for (const index of [RESERVED_INDEX, ATTESTATION_INDEX]) {
    await expect(signer.deriveAddresses(index), String(index)).rejects.toThrow(/derivation index/);
  }
  for (const index of [-1, 0.5, 2 ** 31, Number.NaN]) {
    await expect(signer.deriveAddresses(index), String(index)).rejects.toThrow("another form than deriveAddresses takes");
  }
});

test("token accounts and the curve check agree with web3.js", () => {
  const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
  const [token, associated] = ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"].map(
    (address) => new PublicKey(address),
  );
  if (!token || !associated) throw new Error("two programs are needed");
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
      const owner = new PublicKey(random);
      const seeds = [owner.toBuffer(), token.toBuffer(), new PublicKey(mint).toBuffer()];
      const [expected] = PublicKey.findProgramAddressSync(seeds, associated);
      expect(deriveTokenAccount(owner.toBase58(), mint)).toBe(expected.toBase58());
      expect(isOnCurve(random)).toBe(PublicKey.isOnCurve(random));
    }),
    { numRuns: 200 },
  );
  // Zero, one, the field's order, the order plus one, and all bits set.
  for (const hex of ["00".repeat(32), `01${"00".repeat(31)}`, `ed${"ff".repeat(30)}7f`, `ee${"ff".repeat(30)}7f`, "ff".repeat(32)]) {
    expect(isOnCurve(bytes(hex)), hex).toBe(PublicKey.isOnCurve(bytes(hex)));
  }
});

test("live token accounts are for Circle's USDC; a sandbox's mint is unique to its seed", async () => {
  const [live, one, other] = await Promise.all([
    openSigner(hardhatWords, "live"),
    openSigner(hardhatWords, "sandbox"),
    openSigner(abandonWords, "sandbox"),
  ]);
  expect(live.usdcMint).toBe("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v");
  expect(new Set([live, one, other].map((signer) => signer.usdcMint)).size).toBe(3);
  expect((await openSigner(hardhatWords, "sandbox")).usdcMint).toBe(one.usdcMint);
  const [liveFirst, first] = await Promise.all([live.deriveAddresses(0), one.deriveAddresses(0)]);
  expect(liveFirst.solanaTokenAccount).not.toBe(first.solanaTokenAccount);
});

test("only unchanged addresses are authentic: each changed field, another seed's xpub, or a missing signature is refused", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  const [right, other] = [await signer.deriveAddresses(7), await signer.deriveAddresses(8)];
  const foreign = await (await openSigner(abandonWords, "sandbox")).deriveAddresses(7);
  expect(areAuthentic(right, signer.xpub)).toBe(true);
  for (const source of [other, foreign]) {
    for (const name of ["index", "baseAddress", "solanaAddress", "solanaTokenAccount", "attestation"] as const) {
      if (right[name] === source[name]) continue;
      expect(areAuthentic({ ...right, [name]: source[name] }, signer.xpub), name).toBe(false);
    }
  }
  expect(areAuthentic({ ...right, attestation: Buffer.alloc(0) }, signer.xpub)).toBe(false);
  expect(areAuthentic({ ...right, attestation: Buffer.alloc(64) }, signer.xpub)).toBe(false);
  expect(areAuthentic({ ...right, index: ATTESTATION_INDEX }, signer.xpub)).toBe(false);
  expect(areAuthentic(foreign, signer.xpub)).toBe(false);
});

test("a mnemonic must have 24 words and a valid checksum, may be typed loosely, and is never repeated in an error", () => {
  const words = createWords();
  expect(words.split(" ")).toHaveLength(24);
  expect(createWords()).not.toBe(words);
  expect(readWords(`  ${words.toUpperCase().replaceAll(" ", "\n ")}\n`)).toBe(words);
  for (const wrong of ["", hardhatWords, words.split(" ").slice(1).join(" "), words.replace(/^\w+/, "hunter"), "zoo ".repeat(24)]) {
    expect(() => readWords(wrong)).toThrow(/not the 24 words of a seed \(\d+ words read\)\. Check spelling and order/);
    expect(() => readWords(wrong)).not.toThrow(/hunter|zoo|junk/);
  }
});

test("printing, logging or serializing a seed or signer shows nothing of it", async () => {
  const seed = await Seed.fromWords(hardhatWords);
  const signer = await openSigner(hardhatWords, "sandbox");
  const secrets = [seed.baseAccount().privateExtendedKey, Buffer.from(seed.solanaKey(0).privateKey).toString("hex"), "junk"];
  for (const held of [seed, signer]) {
    const shown = [inspect(held, { depth: 20, showHidden: true }), JSON.stringify(held), String(held), inspect({ held })].join("\n");
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).not.toMatch(/xprv|privateKey|chainCode/);
  }
});

test("only the signer's file opens seeds, and it exports nothing that contains a key", () => {
  const files = readdirSync("lib", { recursive: true, encoding: "utf8" }).filter((path) => /(?<!\.test)\.tsx?$/.test(path));
  const opens = (path: string) => {
    const text = readFileSync(join("lib", path), "utf8");
    return (
      /from "(@\/lib\/wallets|\.\.)\/custody\/seed"/.test(text) || (path.startsWith("wallets/custody/") && text.includes('from "./seed"'))
    );
  };
  expect(files.filter(opens)).toEqual(["wallets/custody/seed-signer.ts"]);
  const exported = [
    ...readFileSync("lib/wallets/custody/seed-signer.ts", "utf8").matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm),
  ];
  expect(exported.map(([, name]) => name)).toEqual(["openKeys", "openSigner", "fingerprintOf"]);
});
