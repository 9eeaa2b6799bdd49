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
          once. To test a destination, send it a sample of any event, up to ten an hour. A webhook’s sample has example data and{" "}
          <Code>sample: true</Code>.
        </p>
      </Section>
      <Section id="receive" title="Receive">
        <p>
          Webhooks are signed per <Code>Standard Webhooks 1.0</Code>, so any of its libraries can verify them. Slack and Discord get plain
          messages without a signature. Verify the signature first, respond with 2xx right away, and process the event afterwards. A
          response that takes more than 15 seconds counts as a failure. Repeated responses of 5 seconds or more slow down deliveries.
        </p>
        <CodeTabs name="receiver" legend="Language" tabs={receivers} />
        <FieldTable
          heading="Header"
          rows={{
            "webhook-id": "The event’s ID. Retries have the same ID.",
            "webhook-timestamp": "When this attempt was sent, in Unix seconds. Reject it if it is more than 5 minutes off.",
            "webhook-signature":
              "v1, a comma and the HMAC-SHA256 of webhook-id.webhook-timestamp.body in base64. For 24 hours after you replace the secret, one signature per secret, separated by a space.",
          }}
        />
      </Section>
      <Section id="events" title="Events">
        <FieldTable heading="Type" rows={listEventTypes()} />
      </Section>
      <Section id="promised" title="Delivery">
        <ul className="grid list-disc gap-2 pl-5">
          <li>
            A delivery has up to ten attempts over about three days. <Code>Retry-After</Code> is respected, up to a day. If all attempts
            fail, the delivery has failed: you can resend it.
          </li>
          <li>An event may arrive more than once. Duplicates have the same ID.</li>
          <li>
            Events are sent in order. After a failure, a later event may arrive first; <Code>sequence</Code> numbers your events without
            gaps.
          </li>
          <li>
            After three failures in a row, deliveries to that destination pause for 30 seconds, and for up to an hour if it keeps failing;
            after three slow responses, for up to five minutes.
          </li>
          <li>
            An event of 20 kB or more is not sent. Read it with <Code>GET /api/v1/events</Code>.
          </li>
          <li>
            A 410 response, or five days without a successful delivery, disables the destination and records <Code>endpoint.disabled</Code>.
          </li>
          <li>
            If somebody changes, disables or deletes a destination, it still gets all deliveries under way, and then{" "}
            <Code>endpoint.changed</Code>, whether or not it is subscribed to that event. Nobody can silence it unnoticed.
          </li>
          <li>
            Redirects are not followed, and private IP addresses are never called. Of your response, we only store the status, the size and
            the time it took.
          </li>
        </ul>
        <p>Don’t use webhooks for accounting. Read the balance, deposits and receipts instead.</p>
      </Section>
      <Section id="missed" title="Missed events">
        <p>
          <Code>GET /api/v1/events?after=</Code> with the last ID you have lists the events after it, page by page. It needs a key with the
          scope <Code>account</Code>. Events are kept for {readRetention().eventDays} days. Under <DocLink href="/alerts">Alerts</DocLink>{" "}
          you can see each delivery with its attempts and resend it, or resend all that failed.
        </p>
      </Section>
      <Section id="email" title="Email">
        <ul className="grid list-disc gap-2 pl-5">
          <li>
            A new address gets one email with a confirmation link, valid for 24 hours. Nothing else is sent until its owner confirms. An
            address gets at most three of these emails a day, and none for 30 days after its owner declined.
          </li>
          <li>
            The first event is sent right away. Events within the next 10 minutes, samples included, are combined in one email that lists up
            to 20 of them. Choose the events under <DocLink href="/alerts">Alerts</DocLink>.
          </li>
          <li>
            Each email has an unsubscribe link, and your email program’s unsubscribe button works too. To resume, confirm the address again.
          </li>
          <li>
            If the email can’t be sent, it is retried as above. An email that bounces later counts as delivered. For critical events, use a
            webhook or <Code>GET /api/v1/events</Code>.
          </li>
        </ul>
        <p>
          Email is available if the operator has set <Code>MAIL_FROM</Code> and <Code>SMTP_URL</Code>.
        </p>
      </Section>
    </DocsArticle>
  );
}
