// Takes a payment for one request. Every statement commits on its own and changes a row only if it is still as read: of any number of
// requests with one payment exactly one is the first, and no lock is held between two statements.

import { DAY_MS, dateOf, now } from "@/lib/base/clock";
import { newPaymentId } from "@/lib/base/ids";
import { Prisma, prisma } from "@/lib/db/prisma";
import { findClaim, findIdentified, freeStates, hiddenColumns, isTaken, type PaymentClaim, type PaymentTerms, readClaim } from "./claim";

export type ClaimedPayment =
  | { kind: "claimed"; claim: PaymentClaim; isNew: boolean }
  /** Another request, or another account, has the payment. */
  | { kind: "replayed" }
  /** Another payment has the Idempotency-Key. */
  | { kind: "idempotency_mismatch" }
  /** Another payment has the identifier, or this payment has another one. */
  | { kind: "identifier_conflict" };

/** After this time another payment may take the Idempotency-Key. */
const KEY_KEPT_MS = DAY_MS;

/**
 * Takes a payment for one request, durably, before it returns; or finds its existing claim, to continue with. A claim that failed or was
 * reversed is taken again.
 */
export async function claimPayment(terms: PaymentTerms): Promise<ClaimedPayment> {
  const at = now();
  for (;;) {
    const claim = await insertClaim(terms, at);
    if (claim) return { kind: "claimed", claim, isNew: true };
    const known = await findClaim(terms.network, terms.payer, terms.nonce);
    // This payment has no claim, so the conflicting row is another payment's, with this identifier or this Idempotency-Key.
    if (!known && terms.identifier !== null && !(await releaseIdentifier(terms.identifier))) return { kind: "identifier_conflict" };
    if (!known && terms.idempotencyKey !== null && !(await releaseKey(terms, at))) return { kind: "idempotency_mismatch" };
    const claimed = known && (await takeKnown(known, terms, at));
    if (claimed) return claimed;
  }
}

/** Null when the payment was claimed before, or another payment has its Idempotency-Key. */
async function insertClaim(terms: PaymentTerms, at: Date): Promise<PaymentClaim | null> {
  const [row] = await prisma().paymentClaim.createManyAndReturn({
    data: [
      {
        id: newPaymentId(),
        ...fixedTerms(terms),
        ...requestTerms(terms),
        validUntil: terms.validUntil,
        state: "claimed",
        claimedAt: at,
        wantedAt: at,
      },
    ],
    skipDuplicates: true,
    omit: hiddenColumns,
  });
  return row ? readClaim(row) : null;
}

/** The terms of a claim that never change. */
const fixedTerms = ({ scheme, network, payer, nonce, amount, accountId }: PaymentTerms) => ({
  scheme,
  network,
  payer,
  nonce,
  amount,
  accountId,
});

/** The terms of the request that has the claim now. */
const requestTerms = ({ keyId, idempotencyKey, identifier, bodyHash, settlement }: PaymentTerms) => ({
  keyId,
  idempotencyKey,
  identifier,
  bodyHash: Uint8Array.from(bodyHash),
  settlement: settlement as Prisma.InputJsonObject,
});

/** Null when the claim changed since it was read: the caller reads it again. */
async function takeKnown(known: PaymentClaim, terms: PaymentTerms, at: Date): Promise<ClaimedPayment | null> {
  if (isOthers(known, terms)) return { kind: "replayed" };
  if (!(await takeIdentifier(known, terms))) return { kind: "identifier_conflict" };
  if (terms.idempotencyKey !== null && terms.idempotencyKey !== known.idempotencyKey) {
    if (isTaken(known)) return { kind: "idempotency_mismatch" };
    await releaseKey(terms, at);
    if (await isKeyTaken(terms)) return { kind: "idempotency_mismatch" };
  }
  const claim = await (isTaken(known) ? recordWanted(known, at) : claimAnew(known, terms, at));
  return claim && { kind: "claimed", claim, isNew: !isTaken(known) };
}

/** Gives a claim the identifier of its request; false when it has another one, or another payment has it. */
async function takeIdentifier(known: PaymentClaim, { identifier }: PaymentTerms): Promise<boolean> {
  if (identifier === null || identifier === known.identifier) return true;
  if (known.identifier !== null && isTaken(known)) return false;
  await releaseIdentifier(identifier);
  await prisma()
    .paymentClaim.updateMany({ where: { id: known.id, identifier: known.identifier }, data: { identifier } })
    .catch(ignoreTakenKey);
  return (await findIdentified(identifier))?.id === known.id;
}

/** Takes an identifier from a payment that moved nothing. False when there is no such payment. */
async function releaseIdentifier(identifier: string): Promise<boolean> {
  const { count } = await prisma().paymentClaim.updateMany({
    where: { identifier, state: { in: [...freeStates] } },
    data: { identifier: null },
  });
  return count > 0;
}

/** A payment without an account stays bound to its first body: a transaction that moved nothing reveals its payment to everybody. */
function isOthers(known: PaymentClaim, { scheme, amount, accountId, bodyHash }: PaymentTerms): boolean {
  if (known.scheme !== scheme || known.amount !== amount || known.accountId !== accountId) return true;
  return !known.bodyHash.equals(bodyHash) && (accountId === null || isTaken(known));
}

/** Records that a request waits for the claim. Null when it is in another state by now. */
async function recordWanted(known: PaymentClaim, at: Date): Promise<PaymentClaim | null> {
  if (known.wantedAt >= at) return known;
  const [row] = await prisma().paymentClaim.updateManyAndReturn({
    where: { id: known.id, state: known.state, wantedAt: { lt: at } },
    data: { wantedAt: at },
    omit: hiddenColumns,
  });
  return row ? readClaim(row) : null;
}

/** Null when another request was faster, or another payment took the Idempotency-Key in between. */
async function claimAnew(known: PaymentClaim, terms: PaymentTerms, at: Date): Promise<PaymentClaim | null> {
  const { id, state, attempt, isRelayed } = known;
  // `validUntil` never moves back: the first signature may be executed until then.
  const isLonger = terms.validUntil > known.validUntil;
  const update = prisma().paymentClaim.updateManyAndReturn({
    where: { id, state, attempt, relayed: isRelayed, ...(isLonger ? { validUntil: { lt: terms.validUntil } } : {}) },
    data: {
      state: "claimed",
      attempt: isRelayed ? attempt + 1 : attempt,
      relayed: false,
      failure: null,
      failureMessage: null,
      creditedAccount: null,
      transaction: null,
      block: null,
      finalized: false,
      requestId: null,
      paidAt: null,
      ...requestTerms(terms),
      claimedAt: at,
      wantedAt: at,
      ...(isLonger ? { validUntil: terms.validUntil } : {}),
    },
    omit: hiddenColumns,
  });
  const [row] = await update.catch(ignoreTakenKey);
  return row ? readClaim(row) : null;
}

function ignoreTakenKey(error: unknown): [] {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002") return [];
  throw error;
}

/** Takes an Idempotency-Key from a payment that has no right to it any more. False when there is no such payment. */
async function releaseKey({ accountId, idempotencyKey }: PaymentTerms, at: Date): Promise<boolean> {
  if (accountId === null || idempotencyKey === null) return false;
  const isOver = [{ state: { in: [...freeStates] } }, { claimedAt: { lte: dateOf(at.getTime() - KEY_KEPT_MS) } }];
  const { count } = await prisma().paymentClaim.updateMany({
    where: { accountId, idempotencyKey, OR: isOver },
    data: { idempotencyKey: null },
  });
  return count > 0;
}

async function isKeyTaken({ accountId, idempotencyKey }: PaymentTerms): Promise<boolean> {
  if (accountId === null || idempotencyKey === null) return false;
  const where = { accountId_idempotencyKey: { accountId, idempotencyKey } };
  return (await prisma().paymentClaim.findUnique({ where, select: { id: true } })) !== null;
}
