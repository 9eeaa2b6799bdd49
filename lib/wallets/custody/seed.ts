// The opened seed: the only place where private keys are derived, for lib/wallets/custody/seed-signer.ts alone (a test enforces that). An
// object of this class shows nothing when printed, logged or serialized.

import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { HDKey } from "@scure/bip32";
import { validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { HDKey as Slip10Key } from "micro-key-producer/slip10.js";
import { assert } from "@/lib/base/assert";

const stretch = promisify(pbkdf2);
const HARDENED = 0x8000_0000;

export class Seed {
  /** BIP-32 fingerprint of the master key, 8 hexadecimal digits. */
  readonly fingerprint: string;
  readonly #base: HDKey;
  readonly #treasury: HDKey;
  readonly #relayers: HDKey;
  readonly #solana: Slip10Key;

  private constructor(seed: Buffer) {
    const master = HDKey.fromMasterSeed(seed);
    this.fingerprint = master.fingerprint.toString(16).padStart(8, "0");
    this.#base = master.derive("m/44'/60'/0'/0");
    // Separate accounts: the customers' xpub together with one of these keys reveals nothing.
    this.#treasury = master.derive("m/44'/60'/1'/0/0");
    this.#relayers = master.derive("m/44'/60'/2'/0");
    this.#solana = Slip10Key.fromMasterSeed(seed).derive("m/44'/501'");
    seed.fill(0);
  }

  /** BIP-39 without a BIP-39 passphrase. Node's PBKDF2 takes one millisecond, the library's forty. */
  static async fromWords(words: string): Promise<Seed> {
    assert(validateMnemonic(words, wordlist), "only words whose checksum is right become a seed");
    return new Seed(await stretch(words.normalize("NFKD"), "mnemonic", 2048, 64, "sha512"));
  }

  /** The account-level key of Base, m/44'/60'/0'/0. */
  baseAccount(): HDKey {
    return this.#base;
  }

  /** The key of the treasury on Base, m/44'/60'/1'/0/0. */
  baseTreasury(): HDKey {
    return this.#treasury;
  }

  /** The key of relayer `index` on Base, m/44'/60'/2'/0/index. */
  baseRelayer(index: number): HDKey {
    return this.#relayers.deriveChild(index);
  }

  /** The key of Solana address `index`, m/44'/501'/index'/0'. */
  solanaKey(index: number): Slip10Key {
    assert(Number.isInteger(index) && index >= 0 && index < HARDENED, "a derivation index is below 2^31");
    return this.#solana.deriveChild(index + HARDENED).deriveChild(HARDENED);
  }

  toJSON(): string {
    return `[seed ${this.fingerprint}]`;
  }
}
