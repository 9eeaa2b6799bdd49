import type { ReactNode } from "react";

const tones = {
  plain: "border-line text-muted",
  good: "border-green/40 text-green",
  waiting: "border-amber-edge bg-amber-wash text-amber-ink",
  bad: "border-red/40 text-red",
};

export type Tone = keyof typeof tones;

interface BadgeProps {
  tone?: Tone;
  children: ReactNode;
}

/** A state as one word. */
export const Badge = ({ tone = "plain", children }: BadgeProps) => (
  <span className={`inline-flex h-5 items-center gap-1 rounded-full border px-2 text-xs whitespace-nowrap ${tones[tone]}`}>{children}</span>
);
