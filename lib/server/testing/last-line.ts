// Logs a line and comes to its end.

import { log } from "@/lib/base/observe/log";

log().info("the last line");
