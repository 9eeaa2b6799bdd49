// A change of a key's limits as the console makes it, without its checks.

import { prisma } from "@/lib/db/prisma";

type Columns = NonNullable<Parameters<ReturnType<typeof prisma>["apiKey"]["update"]>[0]["data"]>;

export const changeKey = async (keyId: string, columns: Columns): Promise<void> =>
  void (await prisma().apiKey.update({ where: { id: keyId }, data: columns }));
