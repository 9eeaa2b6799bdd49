// The faucet: gives away test SOL and test USDC by ordinary transactions.

import { createTokenAccount, payForComputing, TOKEN_PROGRAM } from "@/lib/chains/solana/instructions";
import { type Instruction, signTransaction, signWith } from "@/lib/chains/solana/message";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import type { Chain } from "./chain";
import { SYSTEM_PROGRAM } from "./runtime/bank";
import { readTransaction } from "./runtime/wire";

const MIN_UNITS = 200_000;
const MAX_UNITS = 1_400_000;

export class Faucet {
  #sent = 0;

  constructor(private readonly chain: Chain) {}

  /** Sends SOL. Returns the signature. */
  sendLamports(to: string, lamports: number): string {
    const data = Buffer.alloc(12);
    data.writeUInt32LE(2, 0); // Transfer
    data.writeBigUInt64LE(BigInt(lamports), 4);
    const accounts = [
      { key: this.chain.state.faucetAddress, isSigner: true, isWritable: true },
      { key: to, isWritable: true },
    ];
    return this.#send([{ program: SYSTEM_PROGRAM, accounts, data }]);
  }

  /** Mints USDC into the associated token account of `owner`, which is created when missing. Returns the signature. */
  sendUsdc(owner: string, units: bigint): string {
    const { usdcMint: mint } = this.chain;
    const { faucetAddress } = this.chain.state;
    const tokenAccount = deriveTokenAccount(owner, mint);
    const data = Buffer.alloc(9);
    data.writeUInt8(7, 0); // MintTo
    data.writeBigUInt64LE(units, 1);
    const accounts = [
      { key: mint, isWritable: true },
      { key: tokenAccount, isWritable: true },
      { key: faucetAddress, isSigner: true },
    ];
    return this.#send([
      createTokenAccount({ payer: faucetAddress, tokenAccount, owner, mint }),
      { program: TOKEN_PROGRAM, accounts, data },
    ]);
  }

  #send(instructions: Instruction[]): string {
    const { chain } = this;
    // A compute unit limit unique in this slot: two identical gifts would be the same transaction.
    const limit = payForComputing({ units: MIN_UNITS + (this.#sent++ % (MAX_UNITS - MIN_UNITS)), microLamports: 0 });
    const { bytes, signature } = signTransaction(
      {
        feePayer: chain.state.faucetAddress,
        blockhash: chain.slots.blockhash(chain.slots.current),
        instructions: [...limit, ...instructions],
      },
      (_, message) => signWith(chain.state.faucetSeed, message),
    );
    chain.send({ ...readTransaction(bytes), bytes });
    const error = chain.state.history.find(signature)?.error;
    if (error !== null) throw new Error(`The faucet's transaction failed: ${JSON.stringify(error)}`);
    return signature;
  }
}
