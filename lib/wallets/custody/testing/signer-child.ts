// The signer of a test's seed in its own process, at a socket: what the tests kill.

import { z } from "zod";
import { setClock } from "@/lib/base/clock";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { openJournal } from "../limits/journal";
import { openKeys } from "../seed-signer";
import { serveSigner } from "../wire/serve";

const orderForm = z.object({
  words: z.string(),
  socket: z.string(),
  stateDir: z.string(),
  evmUrl: z.string(),
  solanaUrl: z.string(),
  genesisHash: z.string(),
  operator: z.string().optional(),
  /** How far its clock is off. */
  clockMs: z.number().default(0),
});

export type SignerOrder = z.input<typeof orderForm>;

const { words, socket, stateDir, evmUrl, solanaUrl, genesisHash, operator, clockMs } = orderForm.parse(JSON.parse(process.argv[2] ?? ""));
setClock(() => Date.now() + clockMs);
setSandboxEvmNodes([evmUrl]);
setSandboxSolanaNodes([solanaUrl], genesisHash);
await serveSigner(socket, async () => openKeys(words, "sandbox", { journal: await openJournal(stateDir), operator }));
process.stdout.write("ready\n");
