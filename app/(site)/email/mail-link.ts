// The address of a page that a mail links to.

import type { Metadata } from "next";

export interface MailLinkProps {
  params: Promise<{ token: string }>;
}

/** Its URL is a secret of one address: it is not for search engines. */
export const mailLinkMetadata = (title: string): Metadata => ({ title, robots: { index: false } });
