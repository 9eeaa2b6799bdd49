// Bundles the service with the tests' own entry into the given directory: as a start does, or with `inside` together with its packages.

import { bundleServer } from "../launch/build.mjs";

await bundleServer(process.cwd(), {
  outdir: process.argv[2],
  main: "lib/server/testing/main.ts",
  packagesInside: process.argv[3] === "inside",
});
