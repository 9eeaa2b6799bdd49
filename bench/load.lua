-- The load: one POST repeated, with the keys in turn. Requests are built before the clock starts, so that wrk costs every contestant
-- the same. The last line of the output is the result as JSON.

local requests, sent = {}, 0

function init(args)
  local plan = dofile(args[1])
  for place, authorization in ipairs(plan.authorizations) do
    plan.headers["Authorization"] = authorization
    requests[place] = wrk.format("POST", plan.path, plan.headers, plan.body)
  end
end

function request()
  sent = sent + 1
  return requests[sent % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('{"seconds":%.6f,"requests":%d,"failed":%d,"p50Ms":%.4f,"p95Ms":%.4f,"p99Ms":%.4f}\n',
    summary.duration / 1e6, summary.requests, failed,
    latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3))
end
