// The service for tests of its process: everything is real except the pages, which would need a Next build. It ends with the test
// that started it, however that test ends.

import type { Pages } from "../pages";
import { runService } from "../run";

const stubPages: Pages = {
  show: async (_, response) => void response.end("a page"),
  close: async () => undefined,
};

export function main(): Promise<void> {
  process.stdin.once("close", () => process.exit(1)).resume();
  return runService(async () => stubPages);
}
