// The text that a person reads when the service cannot start. Drivers and the system say what failed; the operator needs to know which
// setting causes it and what to do about it.

import type { Config } from "@/lib/base/config";

const codeOf = (error: unknown): string => (typeof error === "object" && error !== null && "code" in error ? String(error.code) : "");

/** Node tries every address of a name and reports the failures as one AggregateError without a message. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The error to show when the database in DATABASE_URL cannot be reached or used; any other error unchanged. Repeats no password. */
export function databaseProblem(error: unknown, databaseUrl: string): unknown {
  const cause = firstOf(error);
  const { hostname, port, username, pathname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get("host") || hostname;
  const where = host.startsWith("/") ? `${host}/.s.PGSQL.${port || 5432}` : `${host || "localhost"}:${port || 5432}`;
  // The missing or forbidden file may be another one than the database's socket.
  const isOfSocket = messageOf(cause).startsWith("connect E") && ["ENOENT", "EACCES"].includes(codeOf(cause));
  const problem = databaseProblems(`${isOfSocket ? "connect " : ""}${codeOf(cause)}`, messageOf(cause), {
    where,
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  });
  return problem ? new Error(`DATABASE_URL: ${problem}`, { cause: error }) : error;
}

function databaseProblems(
  code: string,
  message: string,
  { where, user, database }: { where: string; user: string; database: string },
): string | null {
  switch (code) {
    case "ECONNREFUSED":
    case "ECONNRESET":
    case "connect ENOENT":
      return `no PostgreSQL is running at ${where}. Start it, or correct the address.`;
    case "connect EACCES":
      return `this user has no access to ${where}. Grant access, or correct the address.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the host of ${where} does not exist. Correct the address.`;
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `${where} cannot be reached. Correct the address, or allow this machine in its firewall.`;
    case "28P01":
    case "28000":
      return `the server at ${where} rejects user "${user}" or the password. Correct them. (${message})`;
    case "3D000":
      return `the server at ${where} has no database "${database}". Create it (createdb ${database}), or correct the name.`;
    case "42501":
      return `user "${user}" may not create tables in database "${database}". Make that user its owner. (${message})`;
    case "53300":
      return `the server at ${where} has no free connections. Raise its max_connections, or lower DATABASE_POOL_SIZE.`;
    default:
      return /connection timeout|timeout expired/i.test(message)
        ? `${where} does not answer. Correct the address, or allow this machine in its firewall.`
        : null;
  }
}

const fileProblems: Record<string, string> = {
  EACCES: "no permission to write there",
  EPERM: "no permission to write there",
  EROFS: "the file system is read-only",
  ENOTDIR: "part of the path is a file",
  EEXIST: "part of the path is a file",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
};

/** The error to show when a start cannot write into DATA_DIR; any other error unchanged. */
export function dataDirProblem(error: unknown, { DATA_DIR }: Pick<Config, "DATA_DIR">): unknown {
  const what = fileProblems[codeOf(error)] ?? (/No space left on device/.test(messageOf(error)) ? fileProblems.ENOSPC : undefined);
  if (!what || !(error instanceof Error)) return error;
  return new Error(`DATA_DIR=${DATA_DIR} cannot be used: ${what}. Set it to a writable directory with free space. (${error.message})`, {
    cause: error,
  });
}

/** The error to show when the server cannot listen. */
export function listenProblem(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new Error(`Port ${port} is already in use. Stop the other program, or use another port: PORT=${port + 1} npm start`, {
        cause: error,
      });
    case "EACCES":
      return new Error(`This user may not use port ${port}. Set PORT to a number above 1023.`, { cause: error });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Error(`HOST=${host} is not an address of this machine. Remove it, or use 0.0.0.0 for all addresses.`, { cause: error });
    default:
      return error;
  }
}
