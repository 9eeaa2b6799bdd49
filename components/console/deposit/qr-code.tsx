import { encode } from "uqr";

interface QrCodeProps {
  text: string;
  /** The target of the code, for screen readers. */
  label: string;
}

const MARGIN = 4;

/** Black on white in both themes: not every camera reads inverted codes. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: "M", border: 0 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : [])));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size + 2 * MARGIN} ${size + 2 * MARGIN}`}
      shapeRendering="crispEdges"
      className="block w-full rounded border border-line"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={squares.join("")} fill="#000" />
    </svg>
  );
}

/** Replaces the QR code of a real address: nothing here can be scanned. */
export function SandboxPlate() {
  return (
    <svg
      role="img"
      aria-label="No QR code: this is a sandbox"
      viewBox="0 0 200 200"
      preserveAspectRatio="xMidYMid slice"
      className="block w-full rounded border border-amber-edge max-sm:h-32"
    >
      <defs>
        <pattern id="sandbox-hatch" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="12" height="12" className="fill-amber-wash" />
          <rect width="3" height="12" className="fill-amber-edge" opacity="0.5" />
        </pattern>
      </defs>
      <rect width="200" height="200" fill="url(#sandbox-hatch)" />
      <rect x="34" y="80" width="132" height="40" rx="8" className="fill-amber-wash stroke-amber-edge" />
      <text x="100" y="106" textAnchor="middle" className="fill-amber-ink font-mono text-base">
        sandbox
      </text>
    </svg>
  );
}
