// Confirmations: nothing else is sent to an e-mail address until its reader has opened the link of one. So that nobody can flood a stranger
// with them, an address gets few a day in all, and an account may ask for few.

import { createHmac } from "node:crypto";
import { DAY_MS, dateOf, now, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { peppers } from "@/lib/base/pepper";
import { setActor } from "@/lib/db/acting";
import { inTransaction, lockName, type Prisma, prisma, type Transaction } from "@/lib/db/prisma";
import { CONFIRMATION } from "../bodies";
import { readConfirmToken } from "./links";

const MAX_PER_ADDRESS = 3;
const MAX_PER_ACCOUNT = 10;
const REFUSED_DAYS = 30;

export type Asked = { ok: true } | { ok: false; problem: string };

const refuse = (problem: string): Asked => ({ ok: false, problem });

/** Whether this service sends e-mail; otherwise what its operator has to do. */
export const checkMail = (): Asked =>
  config().MAIL_FROM
    ? { ok: true }
    : refuse("Email is not set up on this service. Its operator can set MAIL_FROM and SMTP_URL; .env.example explains how.");

/** Puts the mail to an unconfirmed address into the queue, with the caller's commit. */
export async function requestConfirmation(
  { id, accountId, target }: Pick<Prisma.EndpointModel, "id" | "accountId" | "target">,
  transaction: Transaction,
): Promise<Asked> {
  const counted = await countConfirmation({ endpointId: id, accountId, target }, transaction);
  if (!counted.ok) return counted;
  await transaction.$executeRaw`
    INSERT INTO delivery (id, endpoint_id, account_id, type, state, try_at, tries, attempts, created_at)
    VALUES (events_delivery_id(${now()}), ${id}, ${accountId}, ${CONFIRMATION}, 'pending', ${now()}, '[]', 0, ${now()})`;
  await transaction.$queryRaw`SELECT events_wake(${[id]}, ${now()})::text`;
  return counted;
}

async function countConfirmation(
  { endpointId, accountId, target }: { endpointId: string; accountId: string; target: string },
  transaction: Transaction,
): Promise<Asked> {
  const [addressHash, ...others] = peppers().map((each) => hashAddress(target, each));
  if (!addressHash) throw new Error("there is no pepper");
  const ofAddress = { addressHash: { in: [addressHash, ...others] } };
  await lockName(`confirmations of ${accountId}`, transaction);
  await lockName(`confirmations to ${addressHash.toString("hex")}`, transaction);
  const at = { gt: dateOf(nowMs() - DAY_MS) };
  if ((await transaction.confirmation.count({ where: { ...ofAddress, refusedUntil: { gt: now() } } })) > 0)
    return refuse(`The recipient at this address unsubscribed. You can ask for confirmation again ${REFUSED_DAYS} days after that.`);
  if ((await transaction.confirmation.count({ where: { accountId, at } })) >= MAX_PER_ACCOUNT)
    return refuse(`You requested ${MAX_PER_ACCOUNT} confirmation emails in the last 24 hours. Try again tomorrow.`);
  if ((await transaction.confirmation.count({ where: { ...ofAddress, at } })) >= MAX_PER_ADDRESS)
    return refuse(
      `We sent ${MAX_PER_ADDRESS} confirmation emails to this address in the last 24 hours. Open the newest one, or try again tomorrow.`,
    );
  await transaction.confirmation.create({ data: { accountId, endpointId, addressHash, at: now() } });
  return { ok: true };
}

/** Many mail servers take `a.b+x@` for `ab@`: they count as one. The address itself is not kept here. */
function hashAddress(target: string, under: string): Buffer<ArrayBuffer> {
  const [local = "", domain = ""] = target.toLowerCase().split("@");
  const mailbox = `${local.replace(/\+.*/s, "").replaceAll(".", "")}@${domain}`;
  return Buffer.from(createHmac("sha256", under).update(`mail address ${mailbox}`).digest());
}

/** Asks an address again that is not confirmed, or whose reader wanted no more mails. */
export async function requestAgain(accountId: AccountId, endpointId: string): Promise<Asked> {
  const offered = checkMail();
  if (!offered.ok) return offered;
  return inTransaction(async (transaction) => {
    const found = await transaction.endpoint.findFirst({
      where: { id: endpointId, accountId, kind: "email", deletedAt: null, ...isAsking },
    });
    if (!found) return refuse("This address does not need to be confirmed. Reload the page.");
    const asked = await requestConfirmation(found, transaction);
    if (!asked.ok || found.state === "unconfirmed") return asked;
    // Links from before it was taken back are worth nothing now.
    await transaction.endpoint.update({
      where: { id: endpointId },
      data: { state: "unconfirmed", disabledReason: null, secretNumber: { increment: 1 }, ...well },
    });
    return asked;
  });
}

const isAsking = { OR: [{ state: "unconfirmed" }, { state: "disabled", disabledReason: "unsubscribed" }] };
const well = { failures: 0, failingSince: null, restsUntil: null };

export interface ConfirmLink {
  /** open: it can be confirmed. done: it is. late: the link has expired. off: it is switched off. unknown: no link of ours, or an old one. */
  state: "open" | "done" | "late" | "off" | "unknown";
  /** Null for an unknown link. */
  address: string | null;
}

/** What a link of a confirmation leads to. It changes nothing: mail scanners open links. */
export async function readConfirmLink(text: string): Promise<ConfirmLink> {
  const { endpoint, state } = await findLinked(text);
  return { state, address: endpoint?.target ?? null };
}

async function findLinked(text: string): Promise<{ endpoint: Prisma.EndpointModel | null; state: ConfirmLink["state"] }> {
  const token = readConfirmToken(text);
  const endpoint = token && (await prisma().endpoint.findFirst({ where: { id: token.endpointId, kind: "email" } }));
  if (!token || !endpoint || !token.isOf(endpoint)) return { endpoint: null, state: "unknown" };
  if (endpoint.state === "active") return { endpoint, state: "done" };
  if (endpoint.state === "disabled") return { endpoint, state: "off" };
  return { endpoint, state: token.until.getTime() <= nowMs() ? "late" : "open" };
}

/** Confirms the address of a link; events reach it from now on. */
export async function confirmAddress(text: string): Promise<ConfirmLink> {
  const { endpoint, state } = await findLinked(text);
  if (!endpoint || state !== "open") return { state, address: endpoint?.target ?? null };
  setActor({ kind: "link", endpointId: endpoint.id });
  await inTransaction(async (transaction) => {
    const { id, secretNumber } = endpoint;
    const { count } = await transaction.endpoint.updateMany({
      where: { id, secretNumber, state: "unconfirmed" },
      data: { state: "active" },
    });
    // A confirmation that is still on its way has nothing left to ask.
    if (count === 1) await transaction.delivery.deleteMany({ where: { endpointId: id, type: CONFIRMATION, state: "pending" } });
  });
  return readConfirmLink(text);
}

/** From now on nobody may ask the address that was asked for an endpoint, which may be deleted by now. */
export async function refuseConfirmations(endpointId: string, transaction: Transaction): Promise<void> {
  const refusedUntil = dateOf(nowMs() + REFUSED_DAYS * DAY_MS);
  await transaction.confirmation.updateMany({ where: { endpointId }, data: { refusedUntil } });
}

/** Whether the address of a deleted endpoint was asked lately, and has refused since; null if it was not asked. */
export async function findRefusal(endpointId: string): Promise<{ isRefused: boolean } | null> {
  const asked = await prisma().confirmation.findFirst({ where: { endpointId } });
  return asked && { isRefused: (asked.refusedUntil?.getTime() ?? 0) > nowMs() };
}

/** Forgets who asked whom more than a day ago, unless it was refused. */
export async function deleteOldConfirmations(): Promise<void> {
  const isOver = { OR: [{ refusedUntil: null }, { refusedUntil: { lt: now() } }] };
  await prisma().confirmation.deleteMany({ where: { at: { lt: dateOf(nowMs() - DAY_MS) }, ...isOver } });
}
