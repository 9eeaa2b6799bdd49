// An operator's command in the test's own process: with arguments, environment, input, singletons and output of its own. A process of
// its own costs a CPU second, nearly all of it for loading; each command has a test that starts it as the operator does.

import { Readable } from "node:stream";
import { setSingletonsAside } from "@/lib/base/process-singleton";

export interface Outcome {
  code: number | null;
  /** Standard output and standard error, as they were written. */
  output: string;
}

/** Runs `main` with `words` as its arguments and only `environment` as its environment. */
export async function runCommand(
  main: () => Promise<void>,
  words: readonly string[],
  { environment, input = "" }: { environment: Record<string, string | undefined>; input?: string },
): Promise<Outcome> {
  const written: string[] = [];
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  const putBack = [
    put(process, "argv", ["node", "command", ...words]),
    put(process, "env", { ...environment }),
    put(process, "stdin", Readable.from([input])),
    put(process.stdout, "write", write),
    put(process.stderr, "write", write),
    setSingletonsAside(),
  ];
  try {
    await main();
    return { code: Number(process.exitCode ?? 0), output: written.join("") };
  } finally {
    process.exitCode = undefined;
    for (const put of putBack) put();
  }
}

function put(owner: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (before) Object.defineProperty(owner, name, before);
    else Reflect.deleteProperty(owner, name);
  };
}
