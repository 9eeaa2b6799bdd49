import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toEventSelector, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { usdcAbi } from "../evm/usdc";
import balanceReader from "./artifacts/balance-reader.json";
import testUsdc from "./artifacts/test-usdc.json";
import { compileContracts, hashOfSource } from "./compile.mjs";

const artifacts: Record<string, { sources: Record<string, string> }> = { "balance-reader.json": balanceReader, "test-usdc.json": testUsdc };

test("every contract's artifact was made from its sources as they are now; npm run contracts makes them anew", () => {
  const folder = readdirSync(fileURLToPath(new URL(".", import.meta.url)));
  const contracts = folder.filter((name) => name.endsWith(".sol")).map((name) => name.replace(/sol$/, "json"));
  expect(Object.keys(artifacts)).toEqual(contracts.sort());
  for (const [name, { sources }] of Object.entries(artifacts)) {
    expect(Object.keys(sources)).toContain(name.replace(/json$/, "sol"));
    expect(Object.fromEntries(Object.keys(sources).map((source) => [source, hashOfSource(source)]))).toEqual(sources);
  }
});

test("compiling the sources gives the committed artifacts, byte for byte", async () => {
  expect(await compileContracts()).toEqual({ "balance-reader.json": balanceReader, "test-usdc.json": testUsdc });
}, 120_000);

test("the test token has every event and function of USDC that the service uses", () => {
  const selectorsOf = (abi: readonly unknown[]) =>
    (abi as { type: string }[]).flatMap((item) => {
      if (item.type === "function") return [toFunctionSelector(item as Parameters<typeof toFunctionSelector>[0])];
      return item.type === "event" ? [toEventSelector(item as Parameters<typeof toEventSelector>[0])] : [];
    });
  expect(selectorsOf(testUsdc.abi)).toEqual(expect.arrayContaining(selectorsOf(usdcAbi)));
});
