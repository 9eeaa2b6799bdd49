// The service for tests of its process: everything is real except the pages, which would need a Next build. It ends with the test
// that started it, however that test ends.

import { createInterface } from "node:readline";
import { main as divided } from "../main";
import type { Pages } from "../pages/pages";
import { runService } from "../run";
import { startService } from "../start";

const stubPages: Pages = {
  show: async (_, response) => void response.end("a page"),
  close: async () => undefined,
};

/** Each line of its input blocks the main thread for as many milliseconds, as a hostile body would. */
export function main(): Promise<void> {
  createInterface(process.stdin)
    .on("line", (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms)))
    .on("close", () => process.exit(1));
  // Without the role of the pages a test may have its roles divided among processes, as `npm start` does.
  if (process.env.TEST_DIVIDES_ROLES) return divided({ dev: false, pages: Promise.resolve() });
  return runService(() => startService({ startPages: async () => stubPages }));
}
