import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toEventSelector, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { usdcAbi } from "../evm/usdc";
import testUsdc from "./artifacts/test-usdc.json";
import { compileContracts, hashOfSource } from "./compile.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const list = (below: string, ending: string) =>
  readdirSync(join(folder, below))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(below, name));

interface Artifact {
  sources: Record<string, string>;
}
const committed = Object.fromEntries(
  [...list("artifacts", ".json"), ...list("testing/artifacts", ".json")].map((path) => [
    path,
    JSON.parse(readFileSync(join(folder, path), "utf8")) as Artifact,
  ]),
);

test("every artifact was compiled from the current sources; npm run contracts recompiles them", () => {
  const used = Object.values(committed).flatMap(({ sources }) => Object.keys(sources));
  for (const source of [...list("", ".sol"), ...list("testing", ".sol")]) expect(used).toContain(source);
  for (const [path, { sources }] of Object.entries(committed)) {
    expect(Object.keys(sources)).toContain(path.replace(/artifacts\//, "").replace(/json$/, "sol"));
    expect(Object.fromEntries(Object.keys(sources).map((source) => [source, hashOfSource(source)]))).toEqual(sources);
  }
});

test("compiling the sources gives the committed artifacts, byte for byte", async () => {
  expect(await compileContracts()).toEqual(committed);
}, 120_000);

test("the test token has every event and function of USDC that the service uses", () => {
  const selectorsOf = (abi: readonly unknown[]) =>
    (abi as { type: string }[]).flatMap((item) => {
      if (item.type === "function") return [toFunctionSelector(item as Parameters<typeof toFunctionSelector>[0])];
      return item.type === "event" ? [toEventSelector(item as Parameters<typeof toEventSelector>[0])] : [];
    });
  expect(selectorsOf(testUsdc.abi)).toEqual(expect.arrayContaining(selectorsOf(usdcAbi)));
});
