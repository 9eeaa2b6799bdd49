import type { Metadata } from "next";
import { ActionLink } from "@/components/ui/action-link";
import { Notice } from "@/components/ui/notice";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <Notice code="404" title="Page not found">
      <p>Check the address, or start from one of these pages.</p>
      <div className="mt-6 flex flex-wrap gap-3">
        <ActionLink primary href="/">
          Go to the homepage
        </ActionLink>
        <ActionLink href="/docs">Read the docs</ActionLink>
      </div>
    </Notice>
  );
}
