// Signing in and out: next-auth, behind our own checks.

import { answerAuth } from "@/lib/console/sign-in/auth";

export const dynamic = "force-dynamic";

interface Context {
  params: Promise<{ nextauth: string[] }>;
}

async function answerRequest(request: Request, { params }: Context): Promise<Response> {
  return answerAuth(request, (await params).nextauth);
}

export { answerRequest as GET, answerRequest as POST };
