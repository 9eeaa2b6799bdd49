// Every other path below /api: the gateway's router table answers it too, so that an unknown one gets the JSON error.

export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from "../v1/[...path]/route";

export const dynamic = "force-dynamic";
