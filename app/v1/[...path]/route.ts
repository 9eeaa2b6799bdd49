// A base URL without /api: the gateway's router answers with the path that was meant, in the client's own form.

export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from "../../api/v1/[...path]/route";

export const dynamic = "force-dynamic";
