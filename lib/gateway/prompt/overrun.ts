// Models whose provider once counted more input tokens than our bound allowed. From then on, in every process, their bound
// is bytes: no tokenizer makes more than one token of a byte.

import { log } from "@/lib/base/observe/log";
import { onceKept } from "@/lib/base/process-singleton";
import { listSettings, writeSetting } from "@/lib/db/settings";

const PREFIX = "token_bound:";

const overrun = onceKept("overrun models", () => new Set<string>());

export const needsByteBound = (modelId: string): boolean => overrun().has(modelId);

/** Remembers that a model's bound was too low; it lasts beyond this process. */
export async function recordInputOverrun(modelId: string): Promise<void> {
  if (overrun().has(modelId)) return;
  overrun().add(modelId);
  log().error(
    { model: modelId },
    "input tokens exceeded their bound: the operator bore the difference, and bytes bound this model from now on",
  );
  try {
    await writeSetting(PREFIX + modelId, "bytes");
  } catch (error) {
    // The answer is charged by now and must reach its caller; this process knows, others learn at their next overrun.
    log().error({ err: error, model: modelId }, "the overrun could not be recorded for other processes");
  }
}

/** Reads what other processes and earlier ones found. Run at start and then by a job. */
export async function loadOverruns(): Promise<void> {
  for (const { name } of await listSettings(PREFIX)) overrun().add(name.slice(PREFIX.length));
}
