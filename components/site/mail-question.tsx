import type { MailPage } from "@/lib/console/views/alerts";
import { Button } from "../ui/button";

interface MailQuestionProps {
  page: MailPage;
  /** The button's action; the page is rendered again after it. */
  submit: () => Promise<void>;
}

/** The page of a link in a mail. It works without scripts. */
export const MailQuestion = ({ page: { title, text, action }, submit }: MailQuestionProps) => (
  <div className="max-w-reading py-20">
    <h1 className="text-xl font-medium tracking-[-0.025em]">{title}</h1>
    <p className="mt-3 text-muted [overflow-wrap:anywhere]">{text}</p>
    {action ? (
      <form action={submit} className="mt-8">
        <Button look="primary" type="submit">
          {action}
        </Button>
      </form>
    ) : null}
  </div>
);
