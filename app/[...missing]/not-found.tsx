import type { Metadata } from "next";
import SiteLayout from "./(site)/layout";
import SiteNotFound from "./(site)/not-found";

export const metadata: Metadata = { title: "Not found" };

/** For a URL that no route matches, so without a layout around it. */
export default function NotFound() {
  return (
    <SiteLayout>
      <SiteNotFound />
    </SiteLayout>
  );
}
