export const count = (value: number): string => value.toLocaleString("en-US");

/** What became of the answer, when it is not whole. */
export const outcomeText: Readonly<Record<string, string>> = { partial: "broke off", cancelled: "cancelled" };
