import type { Failure } from '@amodal/kernel'

/** What a model's failure means for what to try next. */
export type ModelErrorClass =
  | 'auth'
  | 'rate_limit'
  | 'billing'
  | 'timeout'
  | 'server'
  | 'overflow'
  | 'quota'
  | 'content'
  | 'unknown'

export interface ModelError {
  readonly class: ModelErrorClass
  readonly status?: number
  /** ms that the provider asks to wait. */
  readonly retryAfterMs?: number
}

/** Providers say the same in many words; the first line that fits counts. */
const SAYS: readonly (readonly [ModelErrorClass, RegExp])[] = [
  [
    'overflow',
    /context[_ -]?length|context[_ ]window|maximum context|(prompt|input|request|messages?)( \w+)? (is |are )?too (long|large)|too many (input )?tokens(?!.{0,60}( per |wait|try again))|exceeds? (the )?(maximum|model'?s|available)?.{0,30}(input tokens|context|token (limit|count)|number of tokens)|reduce the length|model_context_window_exceeded|request_too_large|string_above_max_length/,
  ],
  [
    'quota',
    /insufficient_quota|quota|(daily|monthly|weekly|usage|spend(ing)?) limit|tokens per day|requests per day/,
  ],
  [
    'billing',
    /billing|payment|insufficient[_ ](balance|funds|credits?)|credit balance|out of credits?|account (is )?(suspended|deactivated|not active)/,
  ],
  [
    'rate_limit',
    /rate[_ -]?limit|too[_ ]many[_ ]requests|throttl|slow[_ ]?down|(tokens|requests) per min/,
  ],
  [
    'content',
    /content[_ -]?(filter|policy|management|moderation)|responsible ?ai|safety|moderation|prohibited_content|flagged|recitation|inappropriate|usage polic/,
  ],
  [
    'auth',
    /(invalid|incorrect|missing|expired|no)[_ ](x-)?(api[_ -]?key|token|credentials?)|api key not valid|api_key_invalid|unauthori[sz]ed|authentication|permission[_ ]?(denied|error)|access ?denied|forbidden|expiredtoken|unrecognizedclient|signature.{0,20}(not match|expired)/,
  ],
  ['timeout', /time[sd]?[ -]?out|timeout|deadline[_ ]exceeded|etimedout/],
  [
    'server',
    /overloaded|unavailable|server[_ ]?error|internal (server )?error|api_error|econn(refused|reset|aborted)|enotfound|eai_again|epipe|ehostunreach|enetunreach|socket hang up|fetch failed|terminated|bad gateway|could not be called|premature|without a finish reason|other side closed|capacity|try again later/,
  ],
]

/** Statuses that decide the class without a look at the message. */
const BY_STATUS: Readonly<Record<number, ModelErrorClass>> = {
  401: 'auth',
  402: 'billing',
  403: 'auth',
  407: 'auth',
  408: 'timeout',
  413: 'overflow',
  425: 'server',
  429: 'rate_limit',
  504: 'timeout',
  524: 'timeout',
}

/**
 * The classes that the text of an error may indicate although its status has a class of its own;
 * other classes found in the text are ignored as accidental.
 */
const CLASSES_BY_STATUS: Readonly<Record<number, readonly ModelErrorClass[]>> = {
  401: ['billing', 'quota'],
  402: ['quota'],
  403: ['quota', 'billing', 'content', 'rate_limit'],
  413: ['rate_limit'],
  429: ['overflow', 'quota', 'billing'],
  408: [],
  407: [],
  425: [],
  504: [],
  524: [],
}

/** What else a request can be refused for. */
const REFUSED: readonly ModelErrorClass[] = [
  'overflow',
  'quota',
  'billing',
  'rate_limit',
  'content',
  'auth',
]

/** Nothing asks for longer, ms. */
const LONGEST = 24 * 3_600_000
/** Causes of causes. */
const DEEPEST = 6
/** Of what an endpoint says. */
const MOST_CHARS = 20_000

/**
 * What a failure of a model call means, thrown or in the stream, in the words of any provider. It
 * reads statuses, error codes and messages along the chain of causes.
 *
 * @example
 * modelErrorOf(failure('MODEL_FAILED', 'm: 429 Too Many Requests')) // { class: 'rate_limit' }
 */
export function modelErrorOf(failed: Failure): ModelError {
  if (failed.code === 'MODEL_TIMEOUT') return { class: 'timeout' }
  if (failed.code === 'ENV_NOT_SET' || failed.code === 'NO_MODEL') return { class: 'auth' }
  if (failed.code === 'MODEL_FILTERED') return { class: 'content' }
  // It quotes the conversation, which may contain any words.
  if (failed.code === 'CASSETTE_MISS') return { class: 'unknown', status: 400 }
  // Its own message begins with the model's name, which may say anything.
  const causes = chainOf(failed.cause ?? failed.message)
  const status = causes.map(statusOf).find((one) => one !== undefined)
  const texts = causes.flatMap(textsOf)
  const message = texts.join('\n').slice(0, MOST_CHARS).toLowerCase()
  const after =
    causes
      .map(headersOf)
      .map(waitOf)
      .find((one) => one !== undefined) ?? waitIn(message)
  return {
    class: classOf(status, message, failed.code === 'MODEL_MALFORMED' || causes.some(isRetryable)),
    ...(status !== undefined && { status }),
    ...(after !== undefined && { retryAfterMs: Math.min(after, LONGEST) }),
  }
}

function classOf(status: number | undefined, message: string, isPassing: boolean): ModelErrorClass {
  const plain =
    status === undefined ? undefined : (BY_STATUS[status] ?? (status >= 500 ? 'server' : undefined))
  const allowed =
    status === undefined
      ? undefined
      : (CLASSES_BY_STATUS[status] ??
        (status >= 500 ? ['overflow', 'rate_limit', 'timeout'] : REFUSED))
  const [spoken] =
    SAYS.find(([name, words]) => (allowed?.includes(name) ?? true) && words.test(message)) ?? []
  return spoken ?? plain ?? (isPassing ? 'server' : 'unknown')
}

/** Says of itself that the same call may succeed the next time. */
const isRetryable = (cause: Fields | string): boolean =>
  typeof cause !== 'string' && cause['isRetryable'] === true

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null
    ? { ...Object.fromEntries(Object.entries(value)), ...nativeOf(value) }
    : {}
/** The fields of an error that are not enumerable. */
const nativeOf = (value: object): Fields =>
  value instanceof Error ? { name: value.name, message: value.message, cause: value.cause } : {}

/**
 * The failure and what stands behind it: causes, a last error after retries, an error object
 * within.
 */
function chainOf(failed: unknown): readonly (Fields | string)[] {
  const found: (Fields | string)[] = []
  for (let at = failed, depth = 0; at !== undefined && at !== null && depth < DEEPEST; depth++) {
    if (typeof at === 'string') {
      found.push(at)
      break
    }
    const fields = fieldsOf(at)
    found.push(fields)
    at = fields['cause'] ?? fields['lastError'] ?? fields['data'] ?? fields['error']
  }
  return found
}

function statusOf(cause: Fields | string): number | undefined {
  if (typeof cause === 'string') return undefined
  return [cause['statusCode'], cause['status'], cause['code']]
    .map(Number)
    .find((one) => Number.isInteger(one) && one >= 400 && one < 600)
}

function textsOf(cause: Fields | string): readonly string[] {
  if (typeof cause === 'string') return [cause]
  return ['name', 'message', 'code', 'type', 'status', 'reason', 'responseBody'].flatMap((key) =>
    typeof cause[key] === 'string' ? [cause[key]] : [],
  )
}

function headersOf(cause: Fields | string): Fields {
  if (typeof cause === 'string') return {}
  const { responseHeaders } = cause
  return Object.fromEntries(
    Object.entries(fieldsOf(responseHeaders)).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110, section 10.2.3). */
function waitOf(headers: Fields): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (ms >= 0) return ms
  const after = headers['retry-after']
  if (typeof after !== 'string' || after.trim() === '') return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Number(after) * 1_000
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** `"retryDelay": "32s"`, `try again in 1m2.5s`, `retry after 20 seconds`. */
function waitIn(message: string): number | undefined {
  const [, minutes, amount, unit] =
    /(?:retrydelay"?\s*:\s*"|(?:try again|retry)(?: again)? (?:in|after) )(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|seconds?)\b)?/.exec(
      message,
    ) ?? []
  if (minutes === undefined && amount === undefined) return undefined
  return (
    Number(minutes ?? 0) * 60_000 +
    Number(amount ?? 0) * (unit?.startsWith('m') === true ? 1 : 1_000)
  )
}
