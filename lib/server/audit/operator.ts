// The operator in the audit log: who is at the terminal of a command, and who started a process, with which roles and which release.

import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename } from "node:path";
import { z } from "zod";
import { findLatest, recordAudit } from "@/lib/audit/record";
import type { Config } from "@/lib/base/config";
import { pepper } from "@/lib/base/pepper";
import { runActing } from "@/lib/db/acting";
import { actAs, inTransaction } from "@/lib/db/prisma";

/** Commands act as the operator at the terminal. */
export function asOperator<Result>(work: () => Result): Result {
  const [, script = "", name = ""] = process.argv;
  const command = `${basename(script).replace(/\..*/s, "")} ${name}`.trim();
  return runActing({ actor: { kind: "command", command, ...operator() }, origin: null }, work);
}

/** The operating system's user, and the machine. */
function operator(): { user: string; host: string } {
  try {
    return { user: userInfo().username, host: hostname() };
  } catch {
    // In some containers a user has a number and no name.
    return { user: `${process.getuid?.() ?? "unknown"}`, host: hostname() };
  }
}

/** Records that this process started, and that the pepper is another one than at the start before it. */
export async function recordStart({ ROLES, MODE }: Pick<Config, "ROLES" | "MODE">): Promise<void> {
  const after = { roles: ROLES, mode: MODE, version: findVersion(), node: process.version, pid: process.pid, pepper: pepperMark() };
  await inTransaction(async (transaction) => {
    await actAs({ kind: "process", ...operator() }, transaction);
    const before = await findLatest("process.started", transaction);
    await recordAudit({ accountId: null, kind: "process.started", subject: null, after }, transaction);
    const known = z.object({ pepper: z.string() }).safeParse(before).data?.pepper;
    if (known === undefined || known === after.pepper) return;
    const change = { before: { pepper: known }, after: { pepper: after.pepper } };
    await recordAudit({ accountId: null, kind: "pepper.changed", subject: null, ...change }, transaction);
  });
}

/** Tells peppers apart, and nothing else of them: 32 bits of a hash of at least 32 random characters. */
const pepperMark = (): string => createHmac("sha256", pepper()).update("audit").digest("hex").slice(0, 8);

function findVersion(): string {
  const file = "package.json";
  return existsSync(file) ? (z.object({ version: z.string() }).safeParse(JSON.parse(readFileSync(file, "utf8"))).data?.version ?? "") : "";
}
