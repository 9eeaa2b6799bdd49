// Bundles the service as a start does, with the tests' own entry, into the given directory.

import { bundleServer } from "../launch/build.mjs";

await bundleServer(process.cwd(), { outdir: process.argv[2], main: "lib/server/testing/main.ts" });
