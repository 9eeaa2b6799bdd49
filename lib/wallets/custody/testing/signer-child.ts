// The signer of a test's seed in its own process, at a socket: what the tests kill.

import { z } from "zod";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { openJournal } from "../journal";
import { openKeys } from "../seed-signer";
import { serveSigner } from "../wire/serve";

const orderForm = z.object({
  words: z.string(),
  socket: z.string(),
  stateDir: z.string(),
  evmUrl: z.string(),
  solanaUrl: z.string(),
  genesisHash: z.string(),
});

export type SignerOrder = z.infer<typeof orderForm>;

const { words, socket, stateDir, evmUrl, solanaUrl, genesisHash } = orderForm.parse(JSON.parse(process.argv[2] ?? ""));
setSandboxEvmNodes([evmUrl]);
setSandboxSolanaNodes([solanaUrl], genesisHash);
await serveSigner(await openKeys(words, "sandbox", { journal: await openJournal(stateDir) }), socket);
process.stdout.write("ready\n");
