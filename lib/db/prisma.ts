// The process's one Prisma client, for every query that is not on the way of a request. It shares the connections of `pool`.

import { PrismaPg } from "@prisma/adapter-pg";
import { once } from "@/lib/base/process-singleton";
import { PrismaClient } from "./generated/client";
import { pool } from "./pool";

const held = () => once<{ client?: PrismaClient }>("prisma client", () => ({}));

/** The process's Prisma client, made on first use. */
export function prisma(): PrismaClient {
  const holder = held();
  holder.client ??= new PrismaClient({ adapter: new PrismaPg(pool()) });
  return holder.client;
}

/** Ends the client, if there is one; the pool stays. The next `prisma()` makes a new one. */
export async function closePrisma(): Promise<void> {
  const ending = held().client;
  held().client = undefined;
  await ending?.$disconnect();
}
