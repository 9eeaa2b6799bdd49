// Counts as people write them.

/** `12,345` */
export const countText = (count: number): string => count.toLocaleString("en-US");
