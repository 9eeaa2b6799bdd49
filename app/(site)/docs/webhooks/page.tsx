import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { listEventTypes } from "@/lib/console/alerts/alerts";
import { receivers } from "./examples";

export const metadata = docsMetadata("/docs/webhooks");

export default function WebhooksPage() {
  return (
    <DocsArticle path="/docs/webhooks">
      <Section id="set-up" title="Set up">
        <p>
          Add an endpoint on <DocLink href="/alerts">Alerts</DocLink>: an https URL of yours for a webhook, or an incoming webhook of Slack
          for a chat (for Discord, add <Code>/slack</Code> to its URL), or an <DocLink href="#email">e-mail address</DocLink>. A webhook’s
          secret is shown once. Send a sample from there to try it.
        </p>
      </Section>
      <Section id="receive" title="Receive">
        <p>
          Each webhook is signed after <Code>Standard Webhooks 1.0</Code>: any of its libraries can check it. Check it before you trust it,
          answer with 2xx at once, and do the work afterwards. Answers that take more than 15 seconds are failures; those of more than 5
          seconds are taken, but make the endpoint rest.
        </p>
        <CodeTabs name="receiver" legend="Language" tabs={receivers} />
        <FieldTable
          heading="Header"
          rows={{
            "webhook-id": "The event’s ID. The same when it is sent again.",
            "webhook-timestamp": "When it was sent, in Unix seconds. Refuse it if it is older than 5 minutes.",
            "webhook-signature": "v1, and the signature in base64; two for 24 hours after you made a new secret.",
          }}
        />
      </Section>
      <Section id="events" title="Events">
        <FieldTable heading="Type" rows={listEventTypes()} />
      </Section>
      <Section id="promised" title="What is promised">
        <ul className="grid list-disc gap-2 pl-5">
          <li>Every event is sent at least once. It may come twice, with the same id.</li>
          <li>
            Events come in order where they can. After a failure a later one may come first: <Code>sequence</Code> counts your events
            without gaps.
          </li>
          <li>
            A failed delivery is tried ten times over three days; <Code>Retry-After</Code> is heard. After three failures in a row the
            endpoint rests, up to an hour; after three slow answers, up to five minutes.
          </li>
          <li>
            An answer of 410, or five days of failures, switches the endpoint off and records <Code>endpoint.disabled</Code>.
          </li>
          <li>
            An endpoint gets <Code>endpoint.changed</Code> when somebody changes, switches off or deletes it, whatever events it wants, and
            still what was under way. So nobody who is signed in can silence it unseen.
          </li>
          <li>Redirects are not followed, and private addresses are never called. Of your answer only status and size are kept.</li>
        </ul>
        <p>A webhook is no receipt: amounts that decide are in the balance, in deposits and in receipts.</p>
      </Section>
      <Section id="missed" title="What you missed">
        <p>
          <Code>GET /api/v1/events?after=</Code> with the last ID that you have lists the rest, for 30 days. On{" "}
          <DocLink href="/alerts">Alerts</DocLink> you see each delivery with its attempts, and send one again, or all that failed.
        </p>
      </Section>
      <Section id="email" title="E-mail">
        <ul className="grid list-disc gap-2 pl-5">
          <li>
            An address gets one mail with a link, good for 24 hours. Nothing else is sent until its reader opens the link and confirms. An
            address gets three such mails a day, whoever asks, and none for 30 days after its reader refused.
          </li>
          <li>
            The first event is sent at once. What happens within the next 10 minutes, samples too, comes in one mail: up to 20 events in a
            sentence each, and how many more. Choose the events on <DocLink href="/alerts">Alerts</DocLink>.
          </li>
          <li>
            Each mail has a link that stops them, and the button of your mail program does. Only a new confirmation starts them again.
          </li>
          <li>
            A mail server that is away is tried again as above. A mail that it took and could not deliver later counts as delivered: for
            what must not be missed, use a webhook or <Code>GET /api/v1/events</Code>.
          </li>
        </ul>
        <p>
          E-mail is offered where the operator set <Code>MAIL_FROM</Code> and <Code>SMTP_URL</Code>; in a sandbox it is off without them.
        </p>
      </Section>
    </DocsArticle>
  );
}
