// What programs that pay with x402 look for: the API's own door answers it.

export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from "../../api/v1/[...path]/route";

export const dynamic = "force-dynamic";
