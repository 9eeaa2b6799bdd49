// The forms of the alerts page, and its URL.

import { z } from "zod";
import { readUsdText } from "@/lib/base/typed/amount-text";
import { textLimits } from "@/lib/base/typed/text-limits";
import { type EventTypeName, eventTypes, isEventType } from "@/lib/events/catalogue";
import { textField } from "../answer";
import { readNameText } from "../name-text";
import type { AlertsAddress } from "../views/alerts";

/** The threshold below which the owner hears of the balance; an empty field turns it off. */
export const lowBalanceForm = z.strictObject({ amount: textField((text) => (text.trim() === "" ? null : readUsdText(text))) });

const noSuchEndpoint = "This destination does not exist. Reload the page.";
const endpointId = z.string(noSuchEndpoint).regex(/^end_[0-9A-Za-z]{20}$/, noSuchEndpoint);

const noSuchDelivery = "This delivery no longer exists. Reload the page.";
const deliveryId = z.string(noSuchDelivery).regex(/^dlv_[0-9a-f]{32}$/, noSuchDelivery);

const eventType = z.custom<EventTypeName>((name) => typeof name === "string" && isEventType(name));

/** Null is every event, also those of a later release. */
const types = z
  .array(eventType)
  .max(Object.keys(eventTypes).length)
  .min(1, "Select at least one event, or all events.")
  .transform((names) => [...new Set(names)])
  .nullable();

const target = textField((text) => {
  if (text.trim() === "") throw new RangeError("Enter the URL or email address to notify.");
  return text;
}, textLimits.url);

/** Null: it has none, and is called by its host or its address. */
const name = textField(readNameText, textLimits.endpointName);

export const newEndpointForm = z.strictObject({ kind: z.enum(["webhook", "chat", "email"]), target, name: name.default(null), types });
export const endpointNameForm = z.strictObject({ endpointId, name });
export const endpointForm = z.strictObject({ endpointId });
export const endpointTypesForm = z.strictObject({ endpointId, types });
export const sampleForm = z.strictObject({ endpointId, type: eventType });
export const resendFailedForm = z.strictObject({ endpointId, hours: z.union([z.literal(24), z.literal(168)]) });
export const deliveryForm = z.strictObject({ deliveryId });

export const deliveryStates = ["pending", "delivered", "failed"] as const;

const address = z.object({
  endpoint: endpointId.nullable().catch(null),
  state: z.enum(deliveryStates).nullable().catch(null),
  type: eventType.nullable().catch(null),
  before: deliveryId.nullable().catch(null),
  events: z
    .string()
    .regex(/^\d{1,15}$/)
    .nullable()
    .catch(null),
}) satisfies z.ZodType<AlertsAddress>;

export type AlertsQuery = z.infer<typeof address>;

/** Reads the page's URL; unreadable parts are ignored. */
export function readAlertsQuery(params: Readonly<Record<string, string | string[] | undefined>>): AlertsQuery {
  const first = Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return address.parse(Object.fromEntries(first));
}
