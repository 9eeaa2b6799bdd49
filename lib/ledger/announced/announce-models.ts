// Tells customers about the models that they use: a price that changed, and a date of retirement. The facts that they know stand in a
// table, and an event is recorded in the commit that stores a new one there, so that it is told once, in any process and whenever it dies.

import { DAY_MS, dateOf, MINUTE_MS, now } from "@/lib/base/clock";
import { nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { kinds, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { type Prisma, prisma } from "@/lib/db/prisma";
import type { StoredPriceChange } from "@/lib/events/catalogue";
import { listModels, priceVersion } from "@/lib/providers/catalogue";
import { followsSide, type Prices, tierAt } from "@/lib/providers/prices";
import type { Model } from "@/lib/providers/types";
import { findPrices, recordPriceVersions } from "../price-versions";

/**
 * How long all processes must agree on a change before it is told: a process that still sells what customers know puts it off at each of its
 * runs, so that two releases side by side tell nothing.
 */
const SETTLE_MS = 10 * MINUTE_MS;
const REMIND_MS = 7 * DAY_MS;

type Announced = Prisma.AnnouncedModelModel;

/** What a process sells. */
interface Sold {
  model: Model;
  price: string;
  retiresOn: Date | null;
}

/**
 * Compares the models that this process sells with those that customers know, and tells the changes. A job of every process that sells runs
 * it.
 */
export async function announceModels(models: readonly Model[] = listModels()): Promise<void> {
  const known = new Map((await prisma().announcedModel.findMany()).map((row) => [row.model, row]));
  for (const model of models) {
    const retiresOn = model.retirement ? new Date(model.retirement.on) : null;
    await announceModel({ model, price: priceVersion(model), retiresOn }, known.get(model.id));
  }
}

async function announceModel(sold: Sold, known: Announced | undefined): Promise<void> {
  const isKnown = known !== undefined && isSame(sold, known.priceVersion, known.retiresOn);
  if (!known || (isKnown ? known.differsSince !== null : !isSame(sold, known.newPriceVersion, known.newRetiresOn))) return observe(sold);
  if (!isKnown) {
    if (known.differsSince !== null && known.differsSince <= ago(SETTLE_MS)) await announce(sold, known);
  } else if (sold.retiresOn && !known.reminded && isNear(sold.retiresOn)) await remind(sold, sold.retiresOn);
}

const isSame = (sold: Sold, price: string | null, retiresOn: Date | null): boolean =>
  sold.price === price && sold.retiresOn?.getTime() === retiresOn?.getTime();

const ago = (ms: number): Date => dateOf(now().getTime() - ms);

const isNear = (day: Date): boolean => now().getTime() >= day.getTime() - REMIND_MS;

async function observe({ model, price, retiresOn }: Sold): Promise<void> {
  await recordPriceVersions([{ id: price, model: model.id, prices: model.prices }]); // a price that is announced can be looked up
  await prisma().$executeRaw`SELECT ledger_observe_model(${model.id}, ${price}, ${dayOf(retiresOn)}::date, ${now()}::timestamptz)`;
}

async function announce({ model, price, retiresOn }: Sold, known: Announced): Promise<void> {
  const before = await findPrices(known.priceVersion);
  const changes = before ? priceChanges(before, model.prices) : [];
  const hasNewDate = retiresOn !== null && retiresOn.getTime() !== known.retiresOn?.getTime();
  const events = [
    ...(changes.length > 0 ? [{ type: "price.changed", data: { model: model.id, changes } }] : []),
    ...(hasNewDate ? [{ type: "model.retiring", data: retiringData(model) }] : []),
  ];
  const [row] = await prisma().$queryRaw<{ told: boolean }[]>`
    SELECT ledger_announce_model(${model.id}, ${known.priceVersion}, ${dayOf(known.retiresOn)}::date, ${price}, ${dayOf(retiresOn)}::date,
      ${hasNewDate && isNear(retiresOn)}, ${ago(SETTLE_MS)}::timestamptz, ${JSON.stringify(events)}::jsonb, ${lately()}::date,
      ${now()}::timestamptz) AS told`;
  if (row?.told) log().info({ model: model.id, events: events.map(({ type }) => type) }, "what customers know of a model is stored");
}

/** The second notice. */
async function remind({ model }: Sold, retiresOn: Date): Promise<void> {
  await prisma().$executeRaw`
    SELECT ledger_remind_of_model(${model.id}, ${dayOf(retiresOn)}::date, ${JSON.stringify(retiringData(model))}::jsonb, ${lately()}::date,
      ${now()}::timestamptz)`;
}

const retiringData = ({ id, retirement }: Model) => ({ model: id, retiresOn: retirement?.on, successor: retirement?.successor });

const dayOf = (date: Date | null): string | null => date?.toISOString().slice(0, 10) ?? null;

const USED_DAYS = 30;

/** Who used a model since that day hears of it. */
const lately = (): string | null => dayOf(ago(USED_DAYS * DAY_MS));

/** Forgets who used a model before that day. A job runs it. */
export async function deleteOldModelUses(): Promise<void> {
  await prisma().modelUse.deleteMany({ where: { lastUsedOn: { lt: ago((USED_DAYS + 1) * DAY_MS) } } });
}

/**
 * Each kind of token whose price changed, in each tier that one of both has. A kind at the price of input or output, before and after, is
 * not listed: it follows.
 */
export function priceChanges(before: Prices, after: Prices): StoredPriceChange[] {
  const lengths = [...new Set([...before, ...after].map(({ fromInputTokens }) => fromInputTokens))].sort((one, other) => one - other);
  return lengths.flatMap((length) => {
    const [old, fresh] = [tierAt(before, length), tierAt(after, length)];
    return kinds
      .filter((kind) => old[kind] !== fresh[kind] && !(followsSide(old, kind) && followsSide(fresh, kind)))
      .map((kind) => ({
        kind: tokenKinds[kind].name,
        before: perMillion(old[kind]),
        after: perMillion(fresh[kind]),
        ...(length > 0 && { fromInputTokens: length }),
      }));
  });
}

const perMillion = (price: bigint): string => nanoUsd(price * 1_000_000n).toString();
