-- The load: one POST repeated, with the keys in turn. Requests are built before the clock starts, so that wrk costs every contestant
-- the same. The last line of the output is the result as JSON.

local requests = {}
local tails = nil
local sent = 0

function init(args)
  local plan = dofile(args[1])
  local headers = {}
  for name, value in pairs(plan.headers) do headers[name] = value end
  if plan.idempotency then tails = {} end
  for place, authorization in ipairs(plan.authorizations) do
    headers["Authorization"] = authorization
    if plan.idempotency then headers["Idempotency-Key"] = plan.idempotency .. "@" end
    local text = wrk.format("POST", plan.path, headers, plan.body)
    if tails then
      local at = text:find(plan.idempotency .. "@", 1, true) + #plan.idempotency
      requests[place], tails[place] = text:sub(1, at - 1), text:sub(at + 1)
    else
      requests[place] = text
    end
  end
end

function request()
  sent = sent + 1
  local place = sent % #requests + 1
  if tails then return requests[place] .. sent .. tails[place] end
  return requests[place]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"seconds":%.6f,"requests":%d,"notOk":%d,"socketErrors":%d,"timeouts":%d,"p50Ms":%.4f,"p95Ms":%.4f,"p99Ms":%.4f,"maxMs":%.4f}\n',
    summary.duration / 1e6, summary.requests, errors.status, errors.connect + errors.read + errors.write, errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
