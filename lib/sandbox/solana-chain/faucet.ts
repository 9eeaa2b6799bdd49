// The faucet: gives away test SOL and test USDC by ordinary transactions.

import { base58 } from "@scure/base";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import type { Chain } from "./chain";
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from "./runtime/programs";
import { type NewInstruction, readTransaction, writeMessage } from "./runtime/wire";

const MIN_UNITS = 200_000;
const MAX_UNITS = 1_400_000;

export class Faucet {
  #sent = 0;

  constructor(private readonly chain: Chain) {}

  /** Sends SOL. Resolves with the signature. */
  sendLamports(to: string, lamports: number): string {
    const from = this.chain.faucetKey.address;
    const data = Buffer.alloc(12);
    data.writeUInt32LE(2, 0); // Transfer
    data.writeBigUInt64LE(BigInt(lamports), 4);
    const accounts = [
      { key: from, isSigner: true, isWritable: true },
      { key: to, isWritable: true },
    ];
    return this.#send([{ program: SYSTEM_PROGRAM, accounts, data }]);
  }

  /** Mints USDC into the associated token account of `owner`, which is created when missing. Resolves with the signature. */
  sendUsdc(owner: string, units: bigint): string {
    const [faucet, mint] = [this.chain.faucetKey.address, this.chain.usdcMint];
    const tokenAccount = deriveTokenAccount(owner, mint);
    const mintTo = Buffer.alloc(9);
    mintTo.writeUInt8(7, 0); // MintTo
    mintTo.writeBigUInt64LE(units, 1);
    return this.#send([
      {
        program: ASSOCIATED_TOKEN_PROGRAM,
        accounts: [
          { key: faucet, isSigner: true, isWritable: true },
          { key: tokenAccount, isWritable: true },
          { key: owner },
          { key: mint },
          { key: SYSTEM_PROGRAM },
          { key: TOKEN_PROGRAM },
        ],
        data: Uint8Array.of(1), // CreateIdempotent
      },
      {
        program: TOKEN_PROGRAM,
        accounts: [
          { key: mint, isWritable: true },
          { key: tokenAccount, isWritable: true },
          { key: faucet, isSigner: true },
        ],
        data: mintTo,
      },
    ]);
  }

  #send(instructions: NewInstruction[]): string {
    const { chain } = this;
    const message = writeMessage(chain.faucetKey.address, chain.slots.blockhash(chain.slots.current), [this.#newLimit(), ...instructions]);
    const bytes = Buffer.concat([Uint8Array.of(1), chain.faucetKey.sign(message), message]);
    const sent = { ...readTransaction(bytes), bytes };
    chain.send(sent);
    const signature = base58.encode(bytes.subarray(1, 65));
    const error = chain.history.find(signature)?.error;
    if (error !== null) throw new Error(`The faucet's transaction failed: ${JSON.stringify(error)}`);
    return signature;
  }

  /** A compute unit limit unique in this slot: two identical gifts would be the same transaction. */
  #newLimit(): NewInstruction {
    const data = Buffer.alloc(5);
    data.writeUInt8(2, 0); // SetComputeUnitLimit
    data.writeUInt32LE(MIN_UNITS + (this.#sent++ % (MAX_UNITS - MIN_UNITS)), 1);
    return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
  }
}
