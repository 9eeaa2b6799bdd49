const frame = "grid size-10 shrink-0 place-items-center rounded-full border border-line bg-panel text-ink";

/** Decoration: the name of the chain is always beside it. */
export const EvmMark = () => (
  <span aria-hidden="true" className={frame}>
    <svg aria-hidden="true" viewBox="0 0 16 24" width="12" height="18" fill="currentColor">
      <path d="M8 0 0 12.2 8 16.6l8-4.4Z" opacity="0.55" />
      <path d="m8 18.4-8-4.5L8 24l8-10.1Z" />
    </svg>
  </span>
);

export const SolanaMark = () => (
  <span aria-hidden="true" className={frame}>
    <svg aria-hidden="true" viewBox="0 0 20 16" width="18" height="14" fill="currentColor">
      <path d="M4 0h16l-4 4H0Z" opacity="0.55" />
      <path d="M0 6h16l4 4H4Z" />
      <path d="M4 12h16l-4 4H0Z" opacity="0.55" />
    </svg>
  </span>
);
