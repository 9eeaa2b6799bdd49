// The types of events for pages: what each one is sent for.

import { eventTypes } from "@/lib/events/catalogue";

export const listEventTypes = (): { type: string; when: string }[] =>
  Object.entries(eventTypes).map(([type, { when }]) => ({ type, when }));
