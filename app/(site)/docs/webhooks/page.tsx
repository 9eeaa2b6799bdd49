import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { listEventTypes } from "@/lib/console/alerts/alerts";
import { readRetention } from "@/lib/console/retention";
import { receivers } from "./examples";

export const metadata = docsMetadata("/docs/webhooks");

export default function WebhooksPage() {
  return (
    <DocsArticle path="/docs/webhooks">
      <Section id="set-up" title="Set up">
        <p>
          Add a destination under <DocLink href="/alerts">Alerts</DocLink>: an https URL for a webhook, an incoming webhook of Slack (for
          Discord, add <Code>/slack</Code> to the URL), or an <DocLink href="#email">email address</DocLink>. A webhook’s secret is shown
          once. To try it, send a sample from there.
        </p>
      </Section>
      <Section id="receive" title="Receive">
        <p>
          Webhooks are signed per <Code>Standard Webhooks 1.0</Code>, so any of its libraries can verify them. Verify the signature first,
          respond with 2xx right away, and process the event afterwards. A response that takes more than 15 seconds counts as a failure.
          Repeated responses above 5 seconds slow down deliveries.
        </p>
        <CodeTabs name="receiver" legend="Language" tabs={receivers} />
        <FieldTable
          heading="Header"
          rows={{
            "webhook-id": "The event’s ID. Retries have the same ID.",
            "webhook-timestamp": "When it was sent, in Unix seconds. Reject it if it is older than 5 minutes.",
            "webhook-signature": "v1 and the signature in base64. Two signatures for 24 hours after you replace the secret.",
          }}
        />
      </Section>
      <Section id="events" title="Events">
        <FieldTable heading="Type" rows={listEventTypes()} />
      </Section>
      <Section id="promised" title="Delivery">
        <ul className="grid list-disc gap-2 pl-5">
          <li>Each event is delivered at least once. Duplicates have the same ID.</li>
          <li>
            Events are sent in order. After a failure, a later event may arrive first; <Code>sequence</Code> numbers your events without
            gaps.
          </li>
          <li>
            A failed delivery is retried up to ten times over three days, and <Code>Retry-After</Code> is respected. After three failures in
            a row, deliveries pause for up to an hour; after three slow responses, for up to five minutes.
          </li>
          <li>
            A 410 response, or five days of failures, disables the destination and records <Code>endpoint.disabled</Code>.
          </li>
          <li>
            If somebody changes, disables or deletes a destination, it gets <Code>endpoint.changed</Code>, whatever events it is subscribed
            to, and all deliveries already under way. Nobody can silence it unnoticed.
          </li>
          <li>
            Redirects are not followed, and private IP addresses are never called. We only store the status and size of your response.
          </li>
        </ul>
        <p>Don’t use webhooks for accounting. Read the balance, deposits and receipts instead.</p>
      </Section>
      <Section id="missed" title="Missed events">
        <p>
          <Code>GET /api/v1/events?after=</Code> with the last ID you have lists all later events. Events are kept for{" "}
          {readRetention().eventDays} days. Under <DocLink href="/alerts">Alerts</DocLink> you can see each delivery with its attempts and
          resend it, or resend all that failed.
        </p>
      </Section>
      <Section id="email" title="Email">
        <ul className="grid list-disc gap-2 pl-5">
          <li>
            A new address gets one email with a confirmation link, valid for 24 hours. Nothing else is sent until its owner confirms. An
            address gets at most three of these emails a day, and none for 30 days after its owner declined.
          </li>
          <li>
            The first event is sent right away. Events within the next 10 minutes, samples included, are combined in one email with up to 20
            events. Choose the events under <DocLink href="/alerts">Alerts</DocLink>.
          </li>
          <li>
            Each email has an unsubscribe link, and your email program’s unsubscribe button works too. To start again, the address has to be
            confirmed again.
          </li>
          <li>
            If your mail server is unavailable, delivery is retried as above. An email that bounces later counts as delivered. For critical
            events, use a webhook or <Code>GET /api/v1/events</Code>.
          </li>
        </ul>
        <p>
          Email is available if the operator has set <Code>MAIL_FROM</Code> and <Code>SMTP_URL</Code>.
        </p>
      </Section>
    </DocsArticle>
  );
}
