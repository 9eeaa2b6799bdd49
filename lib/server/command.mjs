// `npm run custody -- …` and the operator's other commands: `command.mjs NAME …` runs the built command of that name.

import { existsSync } from "node:fs";
import { bundlePath, enterRoot, runBundle } from "./launch/process.mjs";

enterRoot();
// The command reads its name and its arguments as if it had been started itself.
const [name = ""] = process.argv.splice(2, 1);
process.argv[1] = bundlePath(name);
if (!existsSync(bundlePath(name))) {
  process.stderr.write("Nothing is built yet: run `npm start -- --build-only` first.\n");
  process.exit(1);
}
await runBundle(name);
