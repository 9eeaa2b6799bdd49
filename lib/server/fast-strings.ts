// A class that extends String, as a module we depend on has one, puts the methods of every string into a dictionary: V8 looks each
// call of one up from then on and inlines none, and nothing but the use of a string object takes them out. Requests cost a
// fifteenth more.

/** V8 looks at what is read of an object once a function has run hot. */
const ENOUGH_READS = 5_000;

/** Makes the methods of strings fast again. They stay so, whatever extends String later. */
export function keepStringsFast(): void {
  const boxed: Pick<string, "charCodeAt"> = Object("a");
  let sum = 0;
  for (let read = 0; read < ENOUGH_READS; read++) sum += boxed.charCodeAt(0);
  if (Number.isNaN(sum)) throw new Error("A string object holds no characters.");
}
