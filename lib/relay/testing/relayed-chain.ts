// A real EVM chain, a relayer with gas money on it, and the relay's rounds, for tests.

import { type Hex, parseSignature } from "viem";
import { generatePrivateKey, privateKeyToAddress, sign } from "viem/accounts";
import { setClock } from "@/lib/base/clock";
import { findBlock } from "@/lib/chains/evm/blocks";
import { newAddress, startUsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { transactionSigningHash } from "@/lib/chains/evm/transactions";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { type Call, type PreparedCall, prepareCall, type StoredCall, storeCall } from "../calls";
import { type Relayer, setRelayer } from "../relayer";
import { type RelayOptions, runRelay } from "../run";

/** Blocks until a block is final. */
export const TO_FINAL = 6;

export function relayerOf(privateKey: Hex): Relayer {
  return {
    address: privateKeyToAddress(privateKey),
    signTransaction: async (transaction) =>
      parseSignature(await sign({ hash: transactionSigningHash(transaction), privateKey, to: "hex" })),
  };
}

/** A chain that makes a block for each transaction, and otherwise only on demand. The caller stops it. */
export async function startRelayedChain() {
  const chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  await chain.mine(2 * TO_FINAL);
  const key = generatePrivateKey();
  const relayer = relayerOf(key);
  await chain.fundGas(relayer.address);
  await chain.mint(relayer.address, 1_000_000_000n);
  setRelayer(relayer);
  let latestMs = Date.now();
  const restoreClock = setClock(() => latestMs);
  const readClock = async () => {
    // Many blocks may fall into one second, or lie in the future; two rounds must never run at the same instant.
    const latest = await findBlock("latest", chain.nodes);
    latestMs = Math.max(latestMs + 1, (latest?.timestampS ?? 0) * 1_000);
  };
  const { nodes } = chain;

  /** One round that immediately sends transactions that no node knows. */
  const round = async (options: RelayOptions = {}) => {
    await readClock();
    await runRelay({ evm: nodes, resendAfterMs: 0, ...options });
  };
  const prepare = async (call: Call = newTransfer()): Promise<PreparedCall> => {
    const prepared = await prepareCall(call, nodes);
    if (prepared.kind === "reverts") throw new Error(prepared.reason);
    return prepared;
  };
  /** A transfer of the relayer's own USDC, as a call that the chain executes at most once. */
  const newTransfer = (units = 1n): Call => ({ to: chain.usdc, data: encodeTransfer(newAddress(), units) });
  const store = async (id: string, call?: Call): Promise<StoredCall> => {
    const prepared = await prepare(call);
    return inTransaction((transaction) => storeCall(id, prepared, transaction));
  };
  const stop = async () => {
    setRelayer(undefined);
    restoreClock();
    await chain.stop();
  };
  return { ...chain, key, relayer, readClock, clockMs: () => latestMs, round, prepare, newTransfer, store, stop };
}

export type RelayedChain = Awaited<ReturnType<typeof startRelayedChain>>;

/** The nonces of everything that was ever stored for the relayer, in order. */
export async function noncesOf({ relayer }: Pick<RelayedChain, "relayer">): Promise<number[]> {
  const { rows } = await pool().query<{ nonce: number }>("SELECT nonce FROM relayed WHERE sender = $1 ORDER BY nonce", [
    relayer.address.toLowerCase(),
  ]);
  return rows.map(({ nonce }) => nonce);
}

export const hashesOf = async (id: string): Promise<Hex[]> =>
  (await pool().query<{ hash: Hex }>("SELECT hash FROM relay_broadcast WHERE relayed_id = $1 ORDER BY max_fee", [id])).rows.map(
    ({ hash }) => hash,
  );
