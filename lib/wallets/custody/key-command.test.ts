// The passphrase from a command: its output, whole and alone, or a refusal that says what to do and shows nothing of it.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runKeyCommand } from "./key-command";
import { readPassphrase } from "./passphrase";

const secret = "correct horse battery staple";

function newScript(body: string): string {
  const folder = mkdtempSync(join(tmpdir(), "key command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "print key.sh");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o700);
  return path;
}

const problemOf = (run: Promise<unknown>) =>
  run.then(
    () => "none",
    (error: Error) => `${error.message} ${error.cause ?? ""}`,
  );

test("the passphrase is what the command writes, without its newline", async () => {
  expect(await readPassphrase({ CUSTODY_KEY_COMMAND: `"${newScript(`echo '${secret}'`)}"` })).toBe(secret);
  expect(await problemOf(readPassphrase({ CUSTODY_KEY_COMMAND: `"${newScript("echo hunter2")}"` }))).toMatch(
    /CUSTODY_KEY_COMMAND: the command's output has fewer than 16 characters\. (?!.*hunter2)/,
  );
});

test("words are handed over as they are: quoted ones whole, and nothing is read by a shell", async () => {
  const script = newScript('for word in "$@"; do printf "[%s]" "$word"; done');
  const command = `'${script}' decrypt  --key "an alias" it's one' "" $HOME $(id) ; \`id\` a"b c"d`;
  expect(await runKeyCommand(command)).toBe("[decrypt][--key][an alias][its one][][$HOME][$(id)][;][`id`][ab cd]");
  expect(await problemOf(runKeyCommand(`'${script}' "open`))).toContain("has a quote that is not closed");
  expect(await problemOf(runKeyCommand("  "))).toContain("names no program");
});

test.each([
  ["that fails", `echo '${secret}'; exit 3`, /ended with code 3/],
  ["that is killed", `echo '${secret}'; kill -9 $$`, /ended with SIGKILL/],
  ["that writes without end", `while :; do echo '${secret}'; done`, /writes more than 65536 bytes/],
])("a command %s is refused, and its output is not shown", async (_, body, message) => {
  const problem = await problemOf(runKeyCommand(`"${newScript(body)}"`));
  expect(problem).toMatch(message);
  expect(problem).not.toContain(secret);
});

test("a command that does not end is ended, and one that is not there is named", async () => {
  expect(await problemOf(runKeyCommand(`"${newScript(`echo '${secret}'; exec sleep 600`)}"`, 300))).toMatch(
    /has not ended within 0\.3 seconds/,
  );
  expect(await problemOf(runKeyCommand("/nowhere/kms decrypt"))).toMatch(/cannot be started \(ENOENT\); write its whole path/);
});
