import type { ReactNode } from "react";

// One balance as a bar at three moments: the hold, the charge, the refusal. Lengths are not to scale.

const WIDTH = 320;
const BAR = { y: 44, height: 20 };

function Figure({ title, children }: { title: string; children: ReactNode }) {
  return (
    <svg role="img" aria-label={title} viewBox={`0 20 ${WIDTH} 70`} className="h-auto w-full text-xs" fill="none">
      <title>{title}</title>
      <defs>
        <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" fill="var(--copper-wash)" />
          <line x1="0" y1="0" x2="0" y2="5" stroke="var(--copper)" strokeWidth="1.6" />
        </pattern>
      </defs>
      {children}
    </svg>
  );
}

interface LabelProps {
  x: number;
  y: number;
  children: ReactNode;
  anchor?: "start" | "middle" | "end";
  className?: string;
}

const Label = ({ x, y, children, anchor = "start", className = "fill-muted" }: LabelProps) => (
  <text x={x} y={y} textAnchor={anchor} className={className} fontSize="12">
    {children}
  </text>
);

/** A part of the bar, from `from` to `to`. */
const Part = ({ from, to, ...look }: { from: number; to: number; fill?: string; stroke?: string; strokeDasharray?: string }) => (
  <rect x={from} y={BAR.y} width={to - from} height={BAR.height} rx="3" {...look} />
);

export function HoldFigure() {
  return (
    <Figure title="Part of the balance is reserved; the rest stays available.">
      <Part from={0.5} to={216} fill="var(--panel)" stroke="var(--edge)" />
      <Part from={220} to={319.5} fill="url(#hatch)" stroke="var(--copper)" />
      <Label x={2} y={34}>
        available
      </Label>
      <Label x={319} y={34} anchor="end" className="fill-copper-ink">
        reserved: maximum cost
      </Label>
      <Label x={319} y={84} anchor="end">
        before the model is called
      </Label>
    </Figure>
  );
}

/** `charged` is the exact cost of the page's example. */
export function ChargeFigure({ charged }: { charged: string }) {
  return (
    <Figure title={`${charged} of the reserve is charged; the rest is released.`}>
      <Part from={0.5} to={216} fill="var(--panel)" stroke="var(--edge)" />
      <Part from={220} to={298} stroke="var(--edge)" strokeDasharray="3 3" />
      <Part from={302} to={319.5} fill="var(--copper)" stroke="var(--copper)" />
      <path d="M290 54H230m5-4-5 4 5 4" stroke="var(--muted)" strokeWidth="1.2" strokeLinecap="round" strokeLinejoin="round" />
      <Label x={2} y={34}>
        available
      </Label>
      <Label x={259} y={34} anchor="middle">
        released
      </Label>
      <Label x={319} y={84} anchor="end" className="fill-copper-ink font-mono">
        {charged} charged
      </Label>
    </Figure>
  );
}

export function RefusalFigure() {
  return (
    <Figure title="A request that needs more than the available balance is refused with status 402.">
      <path d="M0.5 40v28" stroke="var(--ink)" strokeWidth="1" />
      <Part from={4} to={84} fill="var(--panel)" stroke="var(--edge)" />
      <Part from={88} to={216} stroke="var(--red)" strokeDasharray="3 3" />
      <Label x={2} y={34}>
        available
      </Label>
      <Label x={88} y={34} className="fill-red">
        missing
      </Label>
      <Label x={232} y={58} className="fill-red font-mono">
        402
      </Label>
      <Label x={2} y={84}>
        0
      </Label>
      <Label x={88} y={84}>
        the model is not called
      </Label>
    </Figure>
  );
}
