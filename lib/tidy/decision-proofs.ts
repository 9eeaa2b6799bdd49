// The proofs of the rules on decisions: rules.test.ts runs them with all others.

export type Files = Record<string, string>;

/** Trees that a rule refuses, and trees that it accepts. */
export interface Proof {
  breaks: readonly Files[];
  keeps: readonly Files[];
}

const decision = (text: string, name = "0001-a.md"): Files => ({ [`lib/decisions/${name}`]: text });
const accepted = (number: 1 | 2): Files =>
  decision(`# 000${number} A title\n\nAccepted, 2026-11-20.\n`, number === 1 ? "0001-a.md" : "0002-b.md");
const indexOf = (text: string): Files => ({ "lib/decisions/README.md": text });

export const decisionProofs: Record<string, Proof> = {
  "each decision has its number as title, and a status": {
    breaks: [
      decision("# 0002 A title\n\nAccepted, 2026-11-20.\n"),
      decision("# 1. A title\n\nAccepted, 2026-11-20.\n"),
      decision("# 0001 A title\n\nA sentence.\n"),
      decision("# 0001 A title\nAccepted, 2026-11-20.\n"),
      decision("# 0001 A title\n\n2026-11-20, accepted.\n"),
      decision("# 0001 A title\n\nSuperseded by [0002](0002-b.md), 2026-11-20.\n"),
      decision("# 0001 A title\n\nSuperseded by [0001](0001-a.md), 2026-11-20.\n"),
      { ...decision("# 0001 A title\n\nSuperseded by [0003](0002-b.md), 2026-11-20.\n"), ...accepted(2) },
    ],
    keeps: [accepted(1), { ...decision("# 0001 A title\n\nSuperseded by [0002](0002-b.md), 2026-11-20.\n"), ...accepted(2) }],
  },
  "a decision has at most 700 words": { breaks: [decision("a ".repeat(701))], keeps: [decision("a ".repeat(700))] },
  "each decision names a rejected alternative": {
    breaks: [accepted(1), decision("It was Rejected.")],
    keeps: [decision("A.\n\n## Rejected\n\n- B: slow."), decision("A. Rejected: B, which is slow.")],
  },
  "each decision is in the index once": {
    breaks: [
      accepted(1),
      { ...accepted(1), ...indexOf("- [0001](0001-a.md) A title\n- [0001](0001-a.md) again\n") },
      { ...accepted(1), ...indexOf("- [0001](0001-a.md) A title, superseded\n") },
      indexOf("- [0001](0001-a.md) A title\n"),
      { ...decision("# 0001 A\n\nSuperseded by [0002](0002-b.md), 2026-11-20.\n"), ...indexOf("- [0001](0001-a.md) A title\n") },
    ],
    keeps: [
      { ...accepted(1), ...accepted(2), ...indexOf("- [0001](0001-a.md) A title\n- [0002](0002-b.md) Another\n") },
      {
        ...decision("# 0001 A\n\nSuperseded by [0002](0002-b.md), 2026-11-20.\n"),
        ...indexOf("- [0001](0001-a.md) A title, superseded\n"),
      },
    ],
  },
};
