// `npm run lock`: adds to the lockfile the platform packages that npm left out because it could not find them, so that `npm ci` accepts
// it on every system; and the integrity of each package that lacks it, as the registry says. Run it after every change of packages.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const file = "package-lock.json";
const systems = ["darwin", "linux", "win32", "freebsd", "android", "openbsd", "netbsd", "sunos", "aix", "openharmony"];
const processors = ["arm64", "x64", "arm", "ia32", "ppc64", "s390x", "riscv64", "loong64", "mips64el", "wasm32"];
const otherNames = { windows: "win32", amd64: "x64" };

/** Where Node would find `name` from the package at `from`, as a path in the lockfile. */
function findLocked(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const path = `${at ? `${at}/` : ""}node_modules/${name}`;
    if (packages[path]) return path;
    if (!at.includes("/node_modules/")) return packages[`node_modules/${name}`] ? `node_modules/${name}` : null;
  }
}

/** The entry of a platform package: its name states the system that it is for. */
function platformEntry(name, version, parent) {
  const words = name.split(/[/-]/).map((word) => otherNames[word] ?? word);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  return {
    version,
    ...(cpu && { cpu: [cpu] }),
    ...(parent.dev && { dev: true }),
    ...(words.at(-1) === "musl" && { libc: ["musl"] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}

const lock = JSON.parse(readFileSync(file, "utf8"));
let added = 0;
for (const [path, parent] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    if (findLocked(lock.packages, path, name) || !/^\d+\.\d+\.\d+/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = platformEntry(name, version, parent);
    added += 1;
  }
}
/** The digest that npm compares the package's bytes with; null when the registry does not have it. */
function integrityOf(name, version) {
  try {
    const text = execFileSync("npm", ["view", `${name}@${version}`, "dist.integrity"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return text.trim() || null;
  } catch {
    return null;
  }
}

const without = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  const name = path.split("node_modules/").at(-1);
  // Our own folders, and links to them.
  if (entry.integrity || entry.link || !path.includes("node_modules/")) continue;
  const integrity = integrityOf(name, entry.version);
  if (integrity === null) without.push(`${name}@${entry.version}`);
  else {
    const { version, ...rest } = entry;
    lock.packages[path] = { version, integrity, ...rest };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} platform packages added to ${file}\n`);
if (without.length > 0) {
  process.stderr.write(`Without integrity, since the registry does not have them: ${without.join(", ")}\n`);
  process.exitCode = 1;
}
