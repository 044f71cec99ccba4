/**
 * What runs on the Redis server. A script is one step: no other client can interleave commands.
 *
 * | key (of `promptmason:{id}`) | what it holds                                                              |
 * | --------------------------- | -------------------------------------------------------------------------- |
 * | `:log`, a stream            | the entries. The id of an item is its version, as `3-0`                     |
 * | `:lease`                    | `fence owner` of whoever has it open; expires unless it is renewed          |
 * | `:fence`                    | the last fence that was given out                                          |
 *
 * Clients send a command again after they have lost the connection, without knowing whether the server
 * had already run it. So every script can run twice: the second time, it finds that it is done. For
 * this, what is written carries a `mark` of the call.
 */

/** Whether the lease belongs to the fence. Versions are compared as ids of the stream. */
const COMMON = `
local function fence_of(lease) return lease and string.match(lease, '^(%d+) ') end
local function newest(log)
  local item = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if not item then return '0-0', '' end
  return item[1], item[2][2]
end
local function refusal(lease, log, fence, version)
  if fence_of(redis.call('GET', lease)) ~= fence then return {'lease'} end
  local last = newest(log)
  if last ~= version then return {'version', last} end
end`

/** KEYS: lease, fence. ARGV: owner, ttlMs. */
export const ACQUIRE = `
${COMMON}
local lease = redis.call('GET', KEYS[1])
local fence = fence_of(lease)
if lease and lease ~= fence .. ' ' .. ARGV[1] then return {'owned'} end
if not fence then fence = string.format('%.0f', redis.call('INCR', KEYS[2])) end
redis.call('SET', KEYS[1], fence .. ' ' .. ARGV[1], 'PX', ARGV[2])
return {'ok', fence}`

/** KEYS: lease, log. ARGV: fence, version, next version, mark, entries. */
const write = (before: string) => `
${COMMON}
local last, mark = newest(KEYS[2])
if last == ARGV[3] and mark == ARGV[4] then return {'ok'} end
local refused = refusal(KEYS[1], KEYS[2], ARGV[1], ARGV[2])
if refused then return refused end
${before}
redis.call('XADD', KEYS[2], ARGV[3], 'mark', ARGV[4], 'entries', ARGV[5])
return {'ok'}`

export const APPEND = write('')
export const COMPACT = write("redis.call('DEL', KEYS[2])")

/** KEYS: lease. ARGV: fence. */
export const RELEASE = `
${COMMON}
if fence_of(redis.call('GET', KEYS[1])) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return {'ok'}`

/** KEYS: log. ARGV: where to begin, how many items. Returns the first id of all, and a list of id and entries. */
export const LOAD = `
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
local found = {first and first[1] or ''}
for _, item in ipairs(redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])) do
  found[#found + 1] = item[1]
  found[#found + 1] = item[2][4]
end
return found`
