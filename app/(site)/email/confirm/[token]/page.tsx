import { MailQuestion } from "@/components/site/mail-question";
import { readConfirmPage } from "@/lib/console/alerts/mail-links";
import { confirmAddress } from "../../actions";
import { type MailLinkProps, mailLinkMetadata } from "../../mail-link";

export const metadata = mailLinkMetadata("Confirm your address");

export default async function ConfirmPage({ params }: MailLinkProps) {
  const { token } = await params;
  return <MailQuestion page={await readConfirmPage(token)} submit={confirmAddress.bind(null, token)} />;
}
