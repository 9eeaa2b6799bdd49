// Compiles the contracts of this folder into artifacts/, and the test contracts into testing/artifacts/: `npm run contracts`. The output
// has the same bytes on every machine. The artifacts are committed: solc takes ten seconds, and only this script needs it.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));

const settings = {
  // The oldest fork that the test chains run; a later one would emit instructions that anvil's cancun does not know.
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  viaIR: false,
  // No source hash at the end of the bytecode: changing a comment must not change the bytes.
  metadata: { bytecodeHash: "none", appendCBOR: false },
};

/** The path of a source: ours are beside this script, imported ones in node_modules. */
const pathOf = (name) => (name.startsWith("@") ? join(root, "node_modules", name) : join(folder, name));

/** SHA-256 of a source, by its name in the compiler's input. */
export const hashOfSource = (name) =>
  createHash("sha256")
    .update(readFileSync(pathOf(name)))
    .digest("hex");

/** Source folders and their artifact folders. Test contracts are separate: no shipped code imports them. */
const folders = { "": "artifacts", "testing/": "testing/artifacts" };

/**
 * Compiles every contract of this folder and of testing/.
 * @returns artifacts by path: contract name, compiler settings, source hashes, ABI and creation code
 * @throws Error with the compiler's messages
 */
export async function compileContracts() {
  const { default: solc } = await import("solc");
  const artifacts = {};
  for (const [from, to] of Object.entries(folders)) {
    for (const name of readdirSync(join(folder, from)).filter((one) => one.endsWith(".sol"))) {
      const artifact = compile(solc, from + name);
      if (artifact) artifacts[`${to}/${basename(name, ".sol")}.json`] = artifact;
    }
  }
  return artifacts;
}

/** Null for a file without a contract, which other sources import. */
function compile(solc, name) {
  const input = {
    language: "Solidity",
    sources: { [name]: { content: readFileSync(pathOf(name), "utf8") } },
    settings: { ...settings, outputSelection: { [name]: { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const sources = new Set([name]);
  const findImport = (imported) => {
    sources.add(imported);
    return { contents: readFileSync(pathOf(imported), "utf8") };
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }));
  if (output.errors?.length > 0) throw new Error(output.errors.map((error) => error.formattedMessage).join("\n"));
  const made = Object.entries(output.contracts?.[name] ?? {}).filter(([, contract]) => contract.evm.bytecode.object !== "");
  if (made.length === 0) return null;
  if (made.length > 1) throw new Error(`${name} must hold one contract that has code, not ${made.length}.`);
  const [[contractName, { abi, evm }]] = made;
  return {
    contractName,
    compiler: { version: solc.version(), settings },
    sources: Object.fromEntries([...sources].sort().map((source) => [source, hashOfSource(source)])),
    abi,
    bytecode: `0x${evm.bytecode.object}`,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const to of Object.values(folders)) mkdirSync(join(folder, to), { recursive: true });
  for (const [path, artifact] of Object.entries(await compileContracts())) {
    writeFileSync(join(folder, path), `${JSON.stringify(artifact, null, 2)}\n`);
    process.stdout.write(`${path}: ${artifact.bytecode.length / 2 - 1} bytes\n`);
  }
}
