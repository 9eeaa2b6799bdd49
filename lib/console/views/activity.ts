// Changes of power or money, and who made them, in sentences.

export interface ActivityEntry {
  id: string;
  at: Date;
  kind: string;
  /** What happened. */
  sentence: string;
  /** Who did it, and from where: "This session", "The operator". */
  by: string;
  /** The browser and its address; null once they are erased, and where there were none. */
  from: string | null;
  /** The changes, field by field. */
  changes: readonly ActivityChange[];
  /** The text that a wallet signed. */
  signed: string | null;
}

/** `before` is null for a new thing, `after` for a thing that has ended. */
export interface ActivityChange {
  name: string;
  before: string | null;
  after: string | null;
}

export interface ActivityView {
  entries: readonly ActivityEntry[];
  /** The cursor of the next page; null on the last. */
  older: string | null;
  /** After this many days personal fields are erased. */
  personalDays: number;
}

/** The page's filter and place, as the URL spells them. */
export interface ActivityAddress {
  group: string | null;
  before: string | null;
}
