// Where the database is: what DATABASE_URL says, or what this process has started itself.

import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

const database = processSingleton<{ url?: string }>("database url", () => ({}));

/** Where the database is, for a process that started one itself; otherwise DATABASE_URL tells. Call it before the first query. */
export function setDatabaseUrl(url: string): void {
  database().url = url;
}

/** @throws Error when neither DATABASE_URL nor an embedded database told where it is */
export function databaseUrl(): string {
  const url = database().url ?? config().DATABASE_URL;
  if (url === undefined) throw new Error("No database: set DATABASE_URL, or start the embedded one first.");
  return url;
}
