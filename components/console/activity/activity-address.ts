import type { ActivityAddress } from "@/lib/console/views/activity";

/** The page's URL with some parts changed. */
export function activityHref(address: ActivityAddress, change: Partial<ActivityAddress>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...address, ...change })) if (value) query.set(name, value);
  return query.size === 0 ? "/activity" : `/activity?${query}`;
}
