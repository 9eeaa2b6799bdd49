// The database's address: DATABASE_URL, or the database that this process has started itself.

import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

const database = processSingleton<{ url?: string }>("database url", () => ({}));

/** Sets the address, for a process that started a database itself; otherwise DATABASE_URL applies. Call it before the first query. */
export function setDatabaseUrl(url: string): void {
  database().url = url;
}

/** @throws Error when DATABASE_URL is not set and no embedded database has set the address */
export function databaseUrl(): string {
  const url = database().url ?? config().DATABASE_URL;
  if (url === undefined) throw new Error("No database: set DATABASE_URL, or start the embedded one first.");
  return url;
}
