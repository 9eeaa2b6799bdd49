// How long personal data is kept: for the page on privacy. The numbers are those that the jobs delete by.

import { FAILURES_KEPT_DAYS } from "@/lib/access/failures/list-failed";
import { config } from "@/lib/base/config";
import { EVENTS_KEPT_DAYS } from "@/lib/events/outbox";
import { ERASED_AFTER_DAYS } from "./erase-closed";

export interface Retention {
  failedRequestDays: number;
  eventDays: number;
  /** After an account is closed. */
  closedAccountDays: number;
  /** Addresses, browsers and names in the audit log, and of ended sessions. */
  auditPersonalDays: number;
}

export const readRetention = (): Retention => ({
  failedRequestDays: FAILURES_KEPT_DAYS,
  eventDays: EVENTS_KEPT_DAYS,
  closedAccountDays: ERASED_AFTER_DAYS,
  auditPersonalDays: config().AUDIT_PERSONAL_DAYS,
});
