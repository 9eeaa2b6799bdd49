// Where mail programs post to stop the mails (RFC 8058). People who open it get the page.

import { answerOneClick } from "@/lib/console/alerts/mail-links";

export const dynamic = "force-dynamic";

interface Context {
  params: Promise<{ token: string }>;
}

export const POST = async (request: Request, { params }: Context): Promise<Response> => answerOneClick(request, (await params).token);

export const GET = async (_request: Request, { params }: Context): Promise<Response> =>
  new Response(null, { status: 303, headers: { location: `/email/unsubscribe/${encodeURIComponent((await params).token)}` } });
