// `npm run audit -- verify [<sequence>:<digest>] | list`: runs the built audit command.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
process.chdir(root);
if (existsSync(".env")) process.loadEnvFile(".env");
const built = join(root, "dist/audit.mjs");
if (!existsSync(built)) {
  process.stderr.write("Nothing is built yet: run `npm start -- --build-only` first.\n");
  process.exit(1);
}
const { main } = await import(pathToFileURL(built).href);
await main();
