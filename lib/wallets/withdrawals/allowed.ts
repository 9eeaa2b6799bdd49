// Whether payouts may be signed at all: not while less lies on the chains than is owed.

import { areReservesWhole } from "../reserves/report";

/** False from the report of a deficit on, until another one says that there is enough. Nothing that is signed already is stopped. */
export const isPayoutAllowed = (): Promise<boolean> => areReservesWhole();
