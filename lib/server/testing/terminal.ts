// A command as a person runs it: in a real terminal, where each answer is typed after its question.

import { spawn } from "node:child_process";
import { once as nextEvent } from "node:events";
import { existsSync } from "node:fs";
import { until } from "./service";

const SCRIPT = "/usr/bin/script";

/** Whether this machine has the program that gives a command a terminal. */
export const hasTerminal = process.platform === "linux" && existsSync(SCRIPT);

export const CTRL_D = "\u0004";

export interface Typed {
  /** The end of the prompt. */
  after: string;
  type: string;
}

/**
 * Runs a program of Node's in a terminal and types an answer after each prompt, not before: what is typed while the terminal still edits lines
 * may be lost. Resolves with what the screen showed.
 * @param command the program's path and what follows it in a shell
 */
export async function runInTerminal(command: string, answers: readonly Typed[], environment: NodeJS.ProcessEnv) {
  const child = spawn(SCRIPT, ["--quiet", "--return", "--flush", "--command", `exec "${process.execPath}" ${command}`, "/dev/null"], {
    env: { ...environment, SHELL: "/bin/sh" },
  });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const ended = nextEvent(child, "close");
  let read = 0;
  for (const { after, type } of answers) {
    await until(`the terminal asks ${after}: ${screen}`, () => screen.indexOf(after, read) >= 0);
    read = screen.indexOf(after, read) + after.length;
    child.stdin.write(type === CTRL_D ? type : `${type}\r`);
  }
  const [code] = (await ended) as [number];
  return { code, screen: screen.replaceAll("\r\n", "\n") };
}
