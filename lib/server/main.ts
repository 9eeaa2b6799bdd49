// The service's process: starts it, and stops it on a signal. launch.mjs imports it once everything is installed and built.

import { log } from "@/lib/base/observe/log";
import { startService } from "./start";

/** Runs the service until a signal ends it; a second signal ends it at once. */
export async function main(options: { dev: boolean }): Promise<void> {
  try {
    const service = await startService(options);
    stopOnSignal(service.stop);
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n\n`);
    log().debug({ err: error }, "the service could not start");
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100).unref();
  }
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      process.stdout.write("\nStopping: finishing what runs. Once more to stop at once.\n");
      void stop().then(() => {
        log().flush();
        process.exit(0);
      });
    });
  }
}
