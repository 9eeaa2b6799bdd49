/** The parts of the page's filter as its address spells them; what is null is left out. */
export interface UsageAddress {
  days: string | null;
  from: string | null;
  to: string | null;
  model: string | null;
  key: string | null;
  by: string | null;
}

/** The page with some parts of its address changed; a changed filter begins with the newest page. */
export function usageHref(address: UsageAddress, change: Partial<Record<string, string | null>> = {}, path = "/usage"): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...address, ...change })) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Days that a press chose stand in the address as such, so that it still means "up to today" tomorrow. */
export const presetDays = (days: number) => ({ days: days.toString(), from: null, to: null });
export const customDays = (from: string, to: string) => ({ days: null, from, to });
