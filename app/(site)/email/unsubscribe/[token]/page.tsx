import { MailQuestion } from "@/components/site/mail-question";
import { readUnsubscribePage } from "@/lib/console/alerts/mail-links";
import { stopMails } from "../../actions";
import { type MailLinkProps, mailLinkMetadata } from "../../mail-link";

export const metadata = mailLinkMetadata("Unsubscribe");

export default async function UnsubscribePage({ params }: MailLinkProps) {
  const { token } = await params;
  return <MailQuestion page={await readUnsubscribePage(token)} submit={stopMails.bind(null, token)} />;
}
