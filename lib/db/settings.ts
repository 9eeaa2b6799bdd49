// Facts that outlive a process and are no row of anything else: a name and a text.

import { prisma } from "./prisma";

/** The settings whose names begin with `prefix`. */
export const listSettings = (prefix: string): Promise<{ name: string; value: string }[]> =>
  prisma().setting.findMany({ where: { name: { startsWith: prefix } } });

/** Writes a setting, over the one of that name if there is one. */
export async function writeSetting(name: string, value: string): Promise<void> {
  await prisma().setting.upsert({ where: { name }, create: { name, value }, update: { value } });
}
