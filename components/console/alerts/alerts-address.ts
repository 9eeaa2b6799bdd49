import type { AlertsAddress } from "@/lib/console/views/alerts";

/** The page's URL with some parts changed; a changed filter starts with the newest deliveries. */
export function alertsHref(address: AlertsAddress, change: Partial<AlertsAddress>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...address, ...change })) if (value) query.set(name, value);
  return query.size === 0 ? "/alerts" : `/alerts?${query}`;
}
