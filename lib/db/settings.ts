// Facts that outlive a process and are no row of anything else: a name and a text.

import { prisma } from "./prisma";

/** The settings whose names begin with `prefix`. */
export function listSettings(prefix: string): Promise<{ name: string; value: string }[]> {
  // Prisma hands the prefix to LIKE as it is, where these three mean something.
  const startsWith = prefix.replaceAll(/[\\%_]/g, "\\$&");
  return prisma().setting.findMany({ where: { name: { startsWith } } });
}

/** Writes a setting, over the one of that name if there is one. */
export async function writeSetting(name: string, value: string): Promise<void> {
  await prisma().setting.upsert({ where: { name }, create: { name, value }, update: { value } });
}
