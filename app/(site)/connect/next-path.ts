// Where to go after signing in: an area of the console, never another site.

const area = /^\/(overview|keys|deposit|withdraw|usage|playground|payments|settings)([/?][\w/?=&.,:%-]*)?$/;

/** The path that the address asks for, or the overview. */
export const readNextPath = (asked: unknown): string => (typeof asked === "string" && area.test(asked) ? asked : "/overview");
