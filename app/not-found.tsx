import type { Metadata } from "next";
import SiteLayout from "./(site)/layout";
import SiteNotFound from "./(site)/not-found";

export const metadata: Metadata = { title: "Not found" };

/** Where no layout stands around it: an address that no page's folder matches. */
export default function NotFound() {
  return (
    <SiteLayout>
      <SiteNotFound />
    </SiteLayout>
  );
}
