/** The parts of the page's filter as its URL spells them; null parts are omitted. */
export interface UsageAddress {
  days: string | null;
  from: string | null;
  to: string | null;
  model: string | null;
  key: string | null;
  by: string | null;
  status: string | null;
}

/** The page's URL with some parts changed; a changed filter starts with the newest page. */
export function usageHref(address: UsageAddress, change: Partial<Record<string, string | null>> = {}, path = "/usage"): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...address, ...change })) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A preset is in the URL as a number of days, so that it still means "up to today" tomorrow. */
export const presetDays = (days: number) => ({ days: days.toString(), from: null, to: null });
export const customDays = (from: string, to: string) => ({ days: null, from, to });
