import type { Metadata } from "next";
import { ActionLink } from "@/components/ui/action-link";
import { Notice } from "@/components/ui/notice";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <Notice code="404" title="There is no page at this address">
      <p>Nothing was called and nothing was charged. Check the address, or go on from one of these.</p>
      <div className="mt-6 flex flex-wrap gap-3">
        <ActionLink primary href="/">
          Go to the start
        </ActionLink>
        <ActionLink href="/docs">Read the docs</ActionLink>
      </div>
    </Notice>
  );
}
