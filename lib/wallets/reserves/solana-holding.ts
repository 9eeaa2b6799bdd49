// Holdings on Solana. Nodes return neither balances of an earlier slot nor more than a hundred per slot, so the treasury is read with each
// hundred, and its last value counts. Money swept before its address was read is then at the treasury; money swept after its address was
// read counts twice, so all is read again while the treasury changes.

import { fromUsdcUnits } from "@/lib/base/money";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { MAX_ACCOUNTS_A_CALL, readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import type { Depositor, Holding } from "./holding";

const CHUNK_SIZE = MAX_ACCOUNTS_A_CALL - 1;
const CHUNKS_AT_ONCE = 4;
/** A treasury that receives dust in every slot is accepted after this many reads: the sum is then too high by the money swept meanwhile. */
const MAX_READINGS = 4;

export interface SolanaReading {
  /** At the treasury's slot, which is at least that of every address. */
  holding: Holding;
  /** By deposit address: the slot at which it was read. */
  slots: ReadonlyMap<string, number>;
}

interface Chunk {
  slot: number;
  treasury: bigint;
  units: bigint;
  depositAddresses: readonly string[];
}

/**
 * @param treasury the treasury's token account
 * @throws SolanaUnavailable
 */
export async function readSolanaHolding(
  { treasury, depositors }: { treasury: string; depositors: readonly Depositor[] },
  nodes: SolanaNodes,
): Promise<SolanaReading> {
  for (let reading = 1; ; reading += 1) {
    const chunks = await readChunks(treasury, depositors, nodes);
    const last = chunks.reduce((one, other) => (other.slot > one.slot ? other : one));
    if (chunks.some((chunk) => chunk.treasury !== last.treasury) && reading < MAX_READINGS) continue;
    return {
      holding: {
        chain: "solana",
        height: last.slot,
        blockHash: null,
        treasury: fromUsdcUnits(last.treasury),
        atAddresses: fromUsdcUnits(chunks.reduce((sum, { units }) => sum + units, 0n)),
        addresses: depositors.length,
      },
      slots: new Map(chunks.flatMap(({ slot, depositAddresses }) => depositAddresses.map((address) => [address, slot] as const))),
    };
  }
}

async function readChunks(treasury: string, depositors: readonly Depositor[], nodes: SolanaNodes): Promise<[Chunk, ...Chunk[]]> {
  const read = (from: number) => readChunk(treasury, depositors.slice(from, from + CHUNK_SIZE), nodes);
  const chunks: [Chunk, ...Chunk[]] = [await read(0)];
  const starts: number[] = [];
  for (let from = CHUNK_SIZE; from < depositors.length; from += CHUNK_SIZE) starts.push(from);
  for (let from = 0; from < starts.length; from += CHUNKS_AT_ONCE) {
    chunks.push(...(await Promise.all(starts.slice(from, from + CHUNKS_AT_ONCE).map(read))));
  }
  return chunks;
}

async function readChunk(treasury: string, depositors: readonly Depositor[], nodes: SolanaNodes): Promise<Chunk> {
  const { slot, value } = await readTokenAccounts(nodes, [treasury, ...depositors.map(({ address }) => address)], "finalized");
  const [ofTreasury = 0n, ...units] = value.map((account) => account?.units ?? 0n);
  return {
    slot,
    treasury: ofTreasury,
    units: units.reduce((sum, one) => sum + one, 0n),
    depositAddresses: depositors.map(({ depositAddress }) => depositAddress),
  };
}
