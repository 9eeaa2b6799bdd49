// The demo wallet's appearance in wallet lists.

export const DEMO_NAME = "Demo wallet";

/** A penny. */
export const DEMO_ICON = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b0612f"/><path d="M12 24V8h5.5a4.75 4.75 0 0 1 0 9.5H12" fill="none" stroke="#fff" stroke-width="3"/></svg>',
)}`;
