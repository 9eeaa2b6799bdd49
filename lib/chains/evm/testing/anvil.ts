// A real EVM chain for tests: anvil on a free port, removed with the test.

import { createRequire } from "node:module";
import { createTestClient, http } from "viem";
import { startChild } from "@/lib/sandbox/child-process";

const CHAIN_ID = 31_337;

/** The caller stops it. */
export async function startAnvil() {
  const program = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}/bin/anvil`;
  const child = await startChild({
    name: "anvil",
    command: createRequire(import.meta.resolve("@foundry-rs/anvil/package.json")).resolve(program),
    args: ["--chain-id", `${CHAIN_ID}`, "--hardfork", "cancun", "--port", "0", "--host", "127.0.0.1"],
    endsWithStdin: false,
    readReady: (line) => /^Listening on (.+)$/.exec(line.trim())?.[1],
  });
  const url = `http://${child.ready}`;
  const client = createTestClient({ mode: "anvil", transport: http(url) });
  return { url, client, stop: child.stop };
}
