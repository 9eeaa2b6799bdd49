// Generates the Prisma client into lib/db/generated, without any network, and only when the schema or Prisma has changed. Uses only Node's
// own modules, because it runs before the project's packages are loaded.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const generated = join(root, "lib/db/generated");
const stamp = join(generated, ".made-from");

/**
 * Generates the client unless it is up to date; returns whether it had to.
 * @throws Error with Prisma's output, or that Prisma is not installed
 */
export async function generatePrismaClient() {
  const program = findPrisma();
  const madeFrom = fingerprint(program);
  if (existsSync(join(generated, "client.ts")) && existsSync(stamp) && readFileSync(stamp, "utf8") === madeFrom) return false;
  const environment = {
    ...process.env,
    // Prisma checks that this engine exists before it downloads it, and does not use it to generate: any program will do.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: "1", // no telemetry, no check for a newer version
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
  };
  try {
    await promisify(execFile)(process.execPath, [program, "generate", "--schema", "prisma/schema.prisma"], { cwd: root, env: environment });
  } catch (error) {
    throw new Error(`The Prisma client could not be generated:\n${error.stderr || error.stdout || error.message}`, { cause: error });
  }
  writeFileSync(stamp, madeFrom);
  return true;
}

function findPrisma() {
  try {
    return createRequire(join(root, "package.json")).resolve("prisma/build/index.js");
  } catch (cause) {
    throw new Error("Prisma is not installed: run `npm install` with development packages.", { cause });
  }
}

function fingerprint(program) {
  const { version } = JSON.parse(readFileSync(join(dirname(program), "../package.json"), "utf8"));
  return createHash("sha256")
    .update(version)
    .update(readFileSync(join(root, "prisma/schema.prisma")))
    .digest("hex");
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const made = await generatePrismaClient();
  console.log(made ? "generated the Prisma client" : "the Prisma client is up to date");
}
