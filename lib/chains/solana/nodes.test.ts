// Nodes that fail, lie and lag: real HTTP servers in front of a chain in its own process.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Keypair } from "@solana/web3.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { setClock } from "@/lib/base/clock";
import { forward } from "@/lib/chains/evm/testing/faulty-node";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { MAINNET_GENESIS_HASH, SolanaNodes } from "./nodes";
import { readFinalizedSlot } from "./transactions";
import { listSignatures, readTokenBalances } from "./usdc";

let chain: TestSolanaChain;
beforeAll(async () => {
  chain = await startTestSolanaChain();
});
afterAll(async () => await chain?.remove());

interface Call {
  method: string;
  params: unknown[];
}
type Fault = (call: Call, response: ServerResponse, request: IncomingMessage) => unknown;

/** A node: `fault` responds, or returns undefined to let the chain respond. */
async function startNode(fault: Fault): Promise<{ url: string; calls: string[]; stop: () => void }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const call = JSON.parse(body) as Call;
      calls.push(call.method);
      const answer = fault(call, response, request);
      if (response.headersSent || answer === "hang") return;
      if (answer !== undefined) return void response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...(answer as object) }));
      const reply = await forward(chain.url, body);
      if (reply) response.end(JSON.stringify(reply));
      else response.destroy();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${port}`, calls, stop };
}

const through = (...urls: string[]) => new SolanaNodes({ urls, genesisHash: chain.genesisHash });
const impatient = (...urls: string[]) => new SolanaNodes({ urls, genesisHash: chain.genesisHash, timeoutMs: 1_000 });

test.each<[string, Fault]>([
  ["answers 429", (_, response) => response.writeHead(429, { "retry-after": "2" }).end()],
  ["answers 503", (_, response) => response.writeHead(503).end("<html>")],
  ["answers without JSON", (_, response) => response.writeHead(200).end("<html>")],
  ["answers with another schema", () => ({ result: { slot: "many" } })],
  ["never answers", () => "hang"],
  ["closes the connection", (_, response) => response.destroy() && "hang"],
  ["redirects", (_, response) => response.writeHead(307, { location: "http://127.0.0.1:9/" }).end()],
  ["belongs to another cluster", ({ method }) => (method === "getGenesisHash" ? { result: MAINNET_GENESIS_HASH } : undefined)],
])("the next node is used when the first one %s, and the first one rests for a while", async (_, fault) => {
  const broken = await startNode(fault);
  const nodes = impatient(broken.url, chain.url);
  expect(await readFinalizedSlot(nodes)).toBeGreaterThan(0);
  expect(broken.calls).toHaveLength(1);
  for (let time = 0; time < 3; time++) await readFinalizedSlot(nodes);
  expect(broken.calls).toHaveLength(1);
});

test("a node that reports being behind is skipped once, without a rest", async () => {
  let isBehind = true;
  const node = await startNode(({ method }) =>
    isBehind && method === "getSlot" ? { error: { code: -32005, message: "Node is behind by 42 slots" } } : undefined,
  );
  const nodes = through(node.url, chain.url);
  expect(await readFinalizedSlot(nodes)).toBeGreaterThan(0);
  isBehind = false;
  await readFinalizedSlot(nodes);
  expect(node.calls).toEqual(["getGenesisHash", "getSlot", "getSlot"]);
});

test("a node of another cluster gets no further requests", async () => {
  const other = await startNode(({ method }) => (method === "getGenesisHash" ? { result: "other" } : undefined));
  await expect(readFinalizedSlot(through(other.url))).rejects.toThrow(
    "No Solana node answered getSlot: node 1: belongs to another cluster.",
  );
  expect(other.calls).toEqual(["getGenesisHash"]);
});

test("a node behind the newest known slot is skipped, with and without a slot in its response", async () => {
  let stoppedAt = Number.POSITIVE_INFINITY;
  const lagging = await startNode(({ method, params }) => {
    const least = (params.at(-1) as { minContextSlot?: number } | undefined)?.minContextSlot ?? 0;
    if (method === "getSlot" && stoppedAt < 1e9) return { result: stoppedAt };
    return least > stoppedAt ? { error: { code: -32016, message: "Minimum context slot has not been reached" } } : undefined;
  });
  const nodes = through(lagging.url, chain.url);
  const seen = await readFinalizedSlot(nodes);
  stoppedAt = seen - 200;
  expect(await readFinalizedSlot(nodes)).toBeGreaterThanOrEqual(seen);
  const someone = Keypair.generate().publicKey.toBase58();
  const balance = (await readTokenBalances(nodes, [someone])).get(someone);
  expect(balance?.value).toBeNull();
  expect(balance?.slot).toBeGreaterThanOrEqual(seen);
  expect(lagging.calls).toEqual(["getGenesisHash", "getSlot", "getSlot", "getMultipleAccounts"]);
});

test("a slot that cannot have been reached yet is not believed, and does not make the other nodes look behind", async () => {
  let isLying = false;
  const liar = await startNode(({ method }) => (isLying && method === "getSlot" ? { result: 1e12 } : undefined));
  const nodes = through(liar.url, chain.url);
  await readFinalizedSlot(nodes);
  isLying = true;
  for (let time = 0; time < 3; time++) expect(await readFinalizedSlot(nodes)).toBeLessThan(1e9);
});

test.each([1e12, 1_000])("of three nodes one that names a slot %i ahead does not make the other two look behind", async (ahead) => {
  const wrong = (await readFinalizedSlot(through(chain.url))) + ahead;
  const liar = await startNode(({ method }) => (method === "getSlot" ? { result: wrong } : undefined));
  const nodes = new SolanaNodes({ urls: [liar.url, chain.url, chain.url], genesisHash: chain.genesisHash, quorum: 2 });
  const readAll = () =>
    nodes.callEach("getSlot", async (call) => {
      const slot = await call("getSlot", [{ commitment: "finalized" }], z.int());
      nodes.sawSlot(call, slot);
      return slot;
    });
  expect(await readFinalizedSlot(nodes)).toBe(wrong);
  await readAll();
  for (let time = 0; time < 3; time++) expect((await readAll()).filter((slot) => slot < wrong)).toHaveLength(2);
  expect(nodes.leastSlot).toBeLessThan(wrong - 500);
});

test("the slot of a node that died counts no more once as many others as must agree have named newer ones for two minutes", async () => {
  const slots = [1_000, 1_000, 1_000];
  const started = await Promise.all(
    slots.map((_, index) => startNode(({ method }) => (method === "getSlot" ? { result: slots[index] } : undefined))),
  );
  const nodes = new SolanaNodes({ urls: started.map(({ url }) => url), genesisHash: chain.genesisHash, quorum: 2 });
  const readAll = () => nodes.callEach("getSlot", async (call) => nodes.sawSlot(call, await call("getSlot", [], z.int())));
  await readAll();
  onTestFinished(setClock(() => Date.now() + 180_000));
  started[0]?.stop();
  slots[1] = 1_900;
  await readAll();
  // One alone, which may lie, does not outdate the others.
  expect(nodes.leastSlot).toBe(850);
  slots[2] = 1_890;
  await readAll();
  expect(nodes.leastSlot).toBe(1_740);
});

test("after an idle spell a first node that names a slot far ahead does not make the next one look behind", async () => {
  const nodes = new SolanaNodes({ urls: [chain.url, chain.url, chain.url], genesisHash: chain.genesisHash, quorum: 2 });
  const calls = await nodes.callEach("getSlot", async (call) => call);
  for (const call of calls) nodes.sawSlot(call, 1_000);
  onTestFinished(setClock(() => Date.now() + 180_000));
  for (const [index, call] of calls.entries()) nodes.sawSlot(call, index === 0 ? 2_400 : 1_450);
  expect(nodes.leastSlot).toBe(1_300);
});

test("no API key in a node's URL gets into an error, not even when the node echoes it", async () => {
  const secret = "c0ffee-secret-key";
  const closed = await startNode((_, response) => response.writeHead(503).end());
  const echo = await startNode(({ method }) =>
    method === "getGenesisHash" ? undefined : { error: { code: -32602, message: `The key ${secret} is unknown at /v2/${secret}` } },
  );
  const urls = [
    `http://${secret}.invalid/v2/${secret}?api-key=${secret}`,
    `http://user:${secret}@127.0.0.1:1/`,
    `${closed.url}/v2/${secret}`,
    `${echo.url}/v2/${secret}`,
  ];
  for (const some of [urls, urls.slice(0, 3), urls.slice(3)]) {
    const error: unknown = await readFinalizedSlot(through(...some)).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Error);
    for (let at = error; at instanceof Error; at = at.cause) {
      expect(`${at.stack} ${JSON.stringify(at)}`).not.toContain(secret);
      expect(`${at.stack}`).not.toContain("127.0.0.1");
    }
  }
});

test("a name and password in a URL are sent as basic authentication", async () => {
  const seen: (string | undefined)[] = [];
  const node = await startNode((_call, _response, request) => void seen.push(request.headers.authorization));
  await readFinalizedSlot(through(node.url.replace("//", "//us%40er:pass@")));
  expect(seen[0]).toBe(`Basic ${Buffer.from("us@er:pass").toString("base64")}`);
});

test("without a node, or without an answer, the error names the call and each node's failure", async () => {
  await expect(readFinalizedSlot(through())).rejects.toThrow("No Solana node answered getSlot: none is set.");
  const down = await startNode((_, response) => response.writeHead(500).end());
  const hanging = await startNode(() => "hang");
  const gone = await startNode(() => undefined);
  gone.stop();
  await expect(readFinalizedSlot(impatient(down.url, hanging.url, gone.url))).rejects.toThrow(
    "No Solana node answered getSlot: node 1: status 500; node 2: no answer in 1000 ms; node 3: ECONNREFUSED.",
  );
});

test("a node that repeats a page or breaks its order is not believed", async () => {
  const owner = Keypair.generate().publicKey.toBase58();
  const twice = await startNode(({ method }) =>
    method === "getSignaturesForAddress" ? { result: ["a", "b"].map((signature) => ({ signature, slot: 1, err: null })) } : undefined,
  );
  await expect(listSignatures(through(twice.url), owner, { cursor: null, most: 10 })).rejects.toThrow("come twice, or out of order");
});

test("a status call refused with a transaction's error code, as some rate limits are, goes to the next node", async () => {
  const limited = await startNode(({ method }) =>
    method === "getGenesisHash" ? undefined : { error: { code: -32003, message: "daily request limit reached" } },
  );
  expect(await readFinalizedSlot(through(limited.url, chain.url))).toBeGreaterThan(0);
});
