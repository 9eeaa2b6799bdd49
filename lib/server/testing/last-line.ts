// Logs a line and ends at once.

import { log } from "@/lib/base/observe/log";

log().info("the last line");
