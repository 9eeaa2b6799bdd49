// Whether this page is linking another wallet just now. Written on the document, since it is the page that does it.

export const setLinking = (linking: boolean): void => {
  document.documentElement.toggleAttribute("data-linking", linking);
};

export const isLinking = (): boolean => document.documentElement.hasAttribute("data-linking");
