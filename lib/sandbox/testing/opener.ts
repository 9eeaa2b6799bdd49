// A process for tests of first starts: for each line of its standard input, a data directory, it opens the sandbox's secrets and seed there
// and writes the result as one line of JSON, or `{ "error": … }`.

import { createInterface } from "node:readline";
import { openSecrets } from "../secrets";
import { openSandboxSigner } from "../seed";

process.stdout.write("ready\n");
for await (const dataDir of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await openDirectory(dataDir))}\n`);
}

async function openDirectory(dataDir: string) {
  try {
    const { xpub } = await openSandboxSigner(dataDir);
    return { secrets: openSecrets(dataDir), xpub };
  } catch (error) {
    return { error: String(error) };
  }
}
