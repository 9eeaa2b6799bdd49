// The service for tests of its process: everything is real except the pages, which would need a Next build. It ends with the test
// that started it, however that test ends.

import { main as divided } from "../main";
import type { Pages } from "../pages/pages";
import { runService } from "../run";
import { startService } from "../start";

const stubPages: Pages = {
  show: async (_, response) => void response.end("a page"),
  close: async () => undefined,
};

export function main(): Promise<void> {
  process.stdin.once("close", () => process.exit(1)).resume();
  // Without the role of the pages a test may have its roles divided among processes, as `npm start` does.
  if (process.env.TEST_DIVIDES_ROLES) return divided({ dev: false, pages: Promise.resolve() });
  return runService(() => startService({ startPages: async () => stubPages }));
}
