// A coin of one nano-dollar, drawn the way banknotes are: many thin lines, one colour.

const PETALS = 36;
const BEADS = 96;
const CENTRE = 120;
const LEGEND_RADIUS = 93;
/** The full circle. */
const LEGEND_LENGTH = Math.floor(2 * Math.PI * LEGEND_RADIUS);

const angles = (count: number): number[] => Array.from({ length: count }, (_, index) => (360 / count) * index);

/** Decoration; the headline beside it says the same. */
export function EngravedPenny({ legend }: { legend: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 240 240" className="h-auto w-full text-copper" fill="none" stroke="currentColor">
      <defs>
        <path
          id="penny-legend"
          d={`M${CENTRE - LEGEND_RADIUS} ${CENTRE}a${LEGEND_RADIUS} ${LEGEND_RADIUS} 0 1 1 ${2 * LEGEND_RADIUS} 0a${LEGEND_RADIUS} ${LEGEND_RADIUS} 0 1 1 ${-2 * LEGEND_RADIUS} 0`}
        />
      </defs>
      <circle cx={CENTRE} cy={CENTRE} r="118.5" strokeWidth="1" />
      <circle cx={CENTRE} cy={CENTRE} r="115.5" strokeWidth="0.5" />
      <Beads />
      <circle cx={CENTRE} cy={CENTRE} r="84" strokeWidth="0.5" />
      <g strokeWidth="0.45" opacity="0.85">
        {angles(PETALS).map((angle) => (
          <ellipse key={angle} cx={CENTRE} cy={CENTRE - 41} rx="20" ry="41" transform={`rotate(${angle} ${CENTRE} ${CENTRE})`} />
        ))}
      </g>
      <circle cx={CENTRE} cy={CENTRE} r="37" fill="var(--paper)" strokeWidth="0.75" />
      <circle cx={CENTRE} cy={CENTRE} r="34" strokeWidth="0.4" />
      <g fill="currentColor" stroke="none" textAnchor="middle" className="font-mono">
        <text className="text-[10px]" textAnchor="start">
          <textPath href="#penny-legend" textLength={LEGEND_LENGTH} lengthAdjust="spacing">
            {legend}
          </textPath>
        </text>
        <text x={CENTRE} y="124" className="font-sans text-[17px] font-medium">
          10⁻⁹
        </text>
        <text x={CENTRE} y="136" className="text-[7px]" letterSpacing="1.4">
          DOLLAR
        </text>
      </g>
    </svg>
  );
}

function Beads() {
  return (
    <g fill="currentColor" stroke="none">
      {angles(BEADS).map((angle) => (
        <circle key={angle} cx={CENTRE} cy="9" r="1.15" transform={`rotate(${angle} ${CENTRE} ${CENTRE})`} />
      ))}
    </g>
  );
}
