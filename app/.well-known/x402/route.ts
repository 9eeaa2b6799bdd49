// The discovery document for programs that pay with x402: the API's route handler answers it.

export { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } from "../../api/v1/[...path]/route";

export const dynamic = "force-dynamic";
