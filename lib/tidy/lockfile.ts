// The lockfile: it names no host, and is complete, so that `npm ci` accepts it on every system.

import type { Problem, Rule } from "./tree";

const file = "package-lock.json";

interface LockedPackage {
  link?: boolean;
  resolved?: string;
  funding?: unknown;
  optionalDependencies?: Record<string, string>;
}

function onLockfile(check: (packages: Record<string, LockedPackage>) => Problem[]): Rule {
  return (tree) => {
    const text = tree.get(file);
    if (text === undefined) return [{ file, message: "is missing: run npm install and commit it." }];
    return check((JSON.parse(text) as { packages: Record<string, LockedPackage> }).packages);
  };
}

export const lockfileNamesNoHost = onLockfile((packages) =>
  Object.entries(packages).flatMap(([name, entry]) => {
    // The package itself states its funding page, and nothing is fetched from there; a link leads to a folder of this project.
    const { funding: _, resolved, ...rest } = entry;
    const names = (resolved !== undefined && !entry.link) || /\w:\/\/|git@/.test(JSON.stringify(rest));
    const cure = "keep omit-lockfile-registry-resolved=true in .npmrc and write the lockfile anew.";
    return names ? [{ file, message: `says where ${name} came from: ${cure}` }] : [];
  }),
);

/** npm leaves out packages for other systems that its registry does not hold, and then refuses its own lockfile. */
export const lockfileIsWhole = onLockfile((packages) => {
  const locked = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)));
  return Object.entries(packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !locked.has(name))
      .map(([name, version]) => ({
        file,
        message: `lacks ${name} ${version}, optional for ${path}: npm ci refuses that. Add its entry with version, optional, os and cpu.`,
      })),
  );
});
