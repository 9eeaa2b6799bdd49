import type { Metadata } from "next";
import { ActionLink } from "@/components/ui/action-link";
import { Notice } from "@/components/ui/notice";
import { findOwner } from "@/lib/console/request-owner";
import ConsoleLayout from "../(console)/layout";
import SiteLayout from "../(site)/layout";
import SiteNotFound from "../(site)/not-found";

export const metadata: Metadata = { title: "Not found" };

/** Keeps the console around a signed-in reader. */
export default async function NotFound() {
  if (await findOwner())
    return (
      <ConsoleLayout>
        <Notice code="404" title="Page not found">
          <p>Check the address, or choose a page from the menu.</p>
          <div className="mt-6">
            <ActionLink primary href="/overview">
              Go to the overview
            </ActionLink>
          </div>
        </Notice>
      </ConsoleLayout>
    );
  return (
    <SiteLayout>
      <SiteNotFound />
    </SiteLayout>
  );
}
