// The lockfile of a package: of ours, only what it contains, each with the hash that the registry gave for it.

/** `node_modules/pg` of `node_modules/pg/lib/index.js`; null for a file of no package. */
export function packageOf(file) {
  const at = file.lastIndexOf("node_modules/");
  if (at === -1) return null;
  const [scope = "", name = ""] = file.slice(at + "node_modules/".length).split("/");
  return `${file.slice(0, at)}node_modules/${scope.startsWith("@") ? `${scope}/${name}` : scope}`;
}

/**
 * `lock` holds the packages at `paths` and their needs of each other; `manifest` the versions of those at the top.
 * @throws Error when one has no integrity hash
 */
export function lockOf({ lockfileVersion, packages }, paths) {
  const names = new Set(paths.map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)));
  const kept = {};
  for (const path of paths) {
    const entry = packages[path];
    if (!entry?.integrity) throw new Error(`${path} has no integrity hash in package-lock.json, so it cannot be part of a package.`);
    const { version, integrity, license } = entry;
    const dependencies = only(entry.dependencies, names);
    kept[path] = { version, integrity, ...(license && { license }), ...(dependencies && { dependencies }) };
  }
  const top = paths.filter((path) => path.lastIndexOf("node_modules/") === 0);
  const manifest = Object.fromEntries(top.map((path) => [path.slice("node_modules/".length), packages[path].version]));
  return { manifest, lock: { lockfileVersion, requires: true, packages: { "": { dependencies: manifest }, ...kept } } };
}

function only(wanted = {}, names) {
  const found = Object.entries(wanted).filter(([name]) => names.has(name));
  return found.length > 0 ? Object.fromEntries(found) : null;
}
