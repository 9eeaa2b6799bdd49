// The durability that live mode requires of its PostgreSQL: a commit that PostgreSQL reports is on the disk.

import { withClient } from "./with-client";

/** Off, each of these settings breaks that. Every other value, such as `local` or `remote_apply`, keeps it. */
const needed = ["fsync", "full_page_writes", "synchronous_commit"] as const;

/**
 * Reads the settings as a new session of this address sees them before it sets any itself. Writes nothing.
 * @throws Error that names each setting that is off and what to write; what pg throws when the database cannot be reached
 */
export async function checkDurability(url: string): Promise<void> {
  const { rows } = await withClient(url, "pennyprompt durability", (client) =>
    client.query<Off>(
      `SELECT s.name, s.source, current_user AS "user", current_database() AS "database"
       FROM unnest($1::text[]) WITH ORDINALITY n(name, ord) JOIN pg_settings s ON s.name = n.name WHERE s.setting = 'off' ORDER BY n.ord`,
      [needed],
    ),
  );
  if (rows.length === 0) return;
  throw new Error(
    `Live mode needs a PostgreSQL that keeps what it has committed; a crash of this one would lose customers' money:\n${rows.map(cureOf).join("\n")}`,
  );
}

interface Off {
  name: string;
  /** Where PostgreSQL takes the value from; see its pg_settings. */
  source: string;
  user: string;
  database: string;
}

function cureOf({ name, source, user, database }: Off): string {
  return `  ${name} is off: ${cure(name, source, { user: JSON.stringify(user), database: JSON.stringify(database) })}`;
}

/** The names are quoted SQL identifiers. */
function cure(name: string, source: string, { user, database }: { user: string; database: string }): string {
  switch (source) {
    case "user":
      return `write ALTER ROLE ${user} RESET ${name};`;
    case "database":
      return `write ALTER DATABASE ${database} RESET ${name};`;
    case "database user":
      return `write ALTER ROLE ${user} IN DATABASE ${database} RESET ${name};`;
    case "client":
      return "take it out of the options of DATABASE_URL (and of PGOPTIONS).";
    case "command line":
      return `start PostgreSQL without -c ${name}=off.`;
    default:
      return `write ALTER SYSTEM SET ${name} = on; and SELECT pg_reload_conf();`;
  }
}
