// The passphrase from a command: for a key-management service, an HSM or a secrets store. Its output is read once, at the start, and goes
// nowhere else; what it writes to standard error is the operator's to see.

import { spawn } from "node:child_process";

const MAX_MS = 30_000;
const MAX_BYTES = 65_536;

/**
 * Runs `command` and resolves with its standard output. No shell reads it: words are separated by spaces, and one in single or double quotes
 * may hold spaces.
 * @throws Error that names the problem, without any of the output
 */
export async function runKeyCommand(command: string, maxMs = MAX_MS): Promise<string> {
  const [program, ...words] = splitWords(command);
  if (program === undefined) throw refused("names no program");
  return new Promise((resolve, reject) => {
    const { CUSTODY_PASSPHRASE: _, ...env } = process.env;
    const child = spawn(program, words, { env, stdio: ["ignore", "pipe", "inherit"] });
    const output: Buffer[] = [];
    let bytes = 0;
    const give = (error: Error) => {
      child.kill("SIGKILL");
      clearTimeout(timer);
      reject(error);
    };
    const timer = setTimeout(() => give(refused(`has not ended within ${maxMs / 1_000} seconds`)), maxMs);
    child.on("error", (error: NodeJS.ErrnoException) =>
      give(refused(`cannot be started (${error.code ?? "unknown"}); write its whole path`)),
    );
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) give(refused(`writes more than ${MAX_BYTES} bytes; it should write the passphrase alone`));
      else output.push(chunk);
    });
    child.on("close", (code, signal) => {
      if (code !== 0) return give(refused(`ended with ${signal ?? `code ${code}`}`));
      clearTimeout(timer);
      resolve(Buffer.concat(output).toString("utf8"));
    });
  });
}

const refused = (what: string): Error =>
  new Error(`CUSTODY_KEY_COMMAND: the command ${what}. It must write the seed's passphrase to standard output and end with code 0.`);

/** @throws Error for a quote that is not closed */
function splitWords(command: string): string[] {
  const words = command.match(/(?:[^\s"']+|"[^"]*"|'[^']*'|["'])+/g) ?? [];
  return words.map((word) => {
    const parts = word.match(/[^"']+|"[^"]*"|'[^']*'|["']/g) ?? [];
    if (parts.some((part) => part === '"' || part === "'")) throw refused("has a quote that is not closed");
    return parts.map((part) => part.replace(/^(["'])(.*)\1$/s, "$2")).join("");
  });
}
