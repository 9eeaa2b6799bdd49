/** UTF-8 bytes of a text. */
export const countBytes = (text: string): number => new TextEncoder().encode(text).length;
