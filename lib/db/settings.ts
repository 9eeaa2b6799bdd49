// Facts that outlive a process and belong to no other table: a name and a text.

import { prisma } from "./prisma";

/** The settings whose names begin with `prefix`. */
export function listSettings(prefix: string): Promise<{ name: string; value: string }[]> {
  // Prisma passes the prefix to LIKE unescaped, where these three characters are special.
  const startsWith = prefix.replaceAll(/[\\%_]/g, "\\$&");
  return prisma().setting.findMany({ where: { name: { startsWith } } });
}

/** Writes a setting; replaces an earlier value. */
export async function writeSetting(name: string, value: string): Promise<void> {
  await prisma().setting.upsert({ where: { name }, create: { name, value }, update: { value } });
}
