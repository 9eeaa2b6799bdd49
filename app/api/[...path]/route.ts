// Every other path below /api: the gateway's router answers it, so that an unknown path gets a JSON error.

export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from "../v1/[...path]/route";

export const dynamic = "force-dynamic";
