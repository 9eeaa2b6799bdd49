/** The penny, small and flat, before the wordmark. */
export function PennyMark({ size = 22 }: { size?: number }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" width={size} height={size} className="shrink-0">
      <circle cx="16" cy="16" r="15.5" fill="var(--copper)" />
      <circle cx="16" cy="16" r="12.75" fill="none" stroke="var(--paper)" strokeOpacity="0.6" strokeWidth="1" />
      <path
        d="M12.5 24V9h5.25a4.75 4.75 0 0 1 0 9.5H12.5"
        fill="none"
        stroke="var(--paper)"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
