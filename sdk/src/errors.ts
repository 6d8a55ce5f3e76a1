import { KERNEL_CODES, registry, type Failure } from '@amodal/kernel'

/**
 * The error codes that several plugins or ports of the sdk use, each with the next step for the
 * reader of the error. A code that only one plugin uses is defined there, with `defineError`.
 */
export const CODES = {
  ...KERNEL_CODES,
  // plan
  PLUGIN_NOT_FOUND: 'check the name or path, or install the package beside amodal.json',
  PLUGIN_DRIFT: 'install the accepted version again, or accept what is installed now',
  // files and configuration
  ENV_NOT_SET: 'set the variable in the environment or in .env',
  NOT_ISOLATED:
    'install bubblewrap or util-linux, or say in amodal.json what keeps handlers apart: `amodal docs run-it#handlers-of-tools`',
  BAD_REPO: 'correct the file at the line given',
  NOT_FOUND: 'check the name',
  UNREADABLE: 'make the file or folder readable',
  NOT_WRITABLE:
    'make the folder writable for the user that runs the server, or mount a writable one as its `.amodal`',
  // sessions
  VALIDATION_ERROR: 'correct the request',
  SESSION_NOT_FOUND: 'start a new session, or check its id',
  SESSION_EXPIRED: 'start a new session',
  ASK_NOT_FOUND: 'the question is not open any more',
  ASK_SETTLED: 'nothing is to be done: the first answer counts',
  ASK_EXPIRED: 'send a message: the question was closed without an answer',
  ANSWER_INVALID: 'answer with a value that fits `pending_input_schema`',
  RUN_ACTIVE: 'wait for the run to end, or cancel it',
  QUEUE_FULL: 'wait for earlier messages to be answered',
  NOT_SET_ASIDE: 'send a message: nothing has to be continued',
  NOT_RETRYABLE: 'check the target, then settle the effect as happened or not happened',
  MESSAGE_CONFLICT: 'use a new Idempotency-Key for another message',
  // files of messages
  ASSET_NOT_FOUND: 'upload the file again, and send the id that comes back',
  ASSET_UNSUPPORTED:
    'send the file in another form, or use a model that takes it; `takes` of a model in amodal.json says more of it',
  // journal
  LEASE_LOST: 'another instance goes on with this run; resume the stream',
  RUN_SET_ASIDE: 'try it again with `amodal ops runs retry`, or end it with `amodal ops runs end`',
  // models and tools
  NO_MODEL: 'set a provider key, or `models.main` in amodal.json',
  MODEL_FAILED: 'see the cause; the next message tries again',
  MODEL_TIMEOUT: 'the model did not answer in time; try again',
  MODEL_FILTERED: 'ask in other words: the content filter of the model took the answer back',
  MODEL_MALFORMED: 'the model sent something that is no valid reply; try again',
  CASSETTE_MISS:
    'record it: run the same once more with AMODAL_CASSETTE=auto, where the model can be reached',
  CONTEXT_OVERFLOW: 'start a new session, or send less at once',
  BUDGET_EXCEEDED: 'send another message, or raise the limit named here',
  TOOL_UNKNOWN: 'use one of the tools listed',
  TOOL_SCHEMA: 'describe the parameters as an object, such as `z.object({ … })`',
  TOOL_ARGUMENTS: 'correct the arguments to fit the schema of the tool',
  TOOL_FAILED: 'see the message of the tool',
  RESULT_TOO_LARGE: 'ask the tool for less, or give it another `resultPersistence`',
  TOOL_TIMEOUT: 'the tool did not answer in time',
  TOOL_CHANGED: 'ask again: the tool is not what was approved',
  CONNECTION_TRUSTED: 'remove `trusted` where strangers can write into that system',
  TAINT_IGNORED: 'remove `taint` where a stranger may not decide that it is done',
  TOOL_DENIED: 'do not call it again in this turn; tell the person',
  APPROVAL_REQUIRED: 'let the model call it, so that a person can approve it',
  OUTBOUND_REFUSED: 'use an address that is allowed',
  OUTBOUND_FAILED: 'check the address, and that the target runs; then try again',
  TARGET_ERROR: 'see what the target answered, and correct the request',
  CANCELLED: 'nothing is to be done: somebody stopped it',
  // http
  UNAUTHENTICATED: 'send a good credential: `Authorization: Bearer …` or `X-API-Key`',
  FORBIDDEN_SCOPE: 'use a credential that is good for this route',
  SCOPE_REQUIRED: 'name the scope with `scope_id`',
  RATE_LIMITED: 'try again after the seconds in Retry-After',
  NOT_ALLOWED: 'use a method the route offers',
  TOO_LARGE: 'send less',
  UNSUPPORTED_MEDIA: 'send application/json',
  FORBIDDEN_ORIGIN: 'call from the same origin',
  PORT_IN_USE: 'stop the other process, or choose another port with --port',
  NOT_LOOPBACK:
    'make a key with `amodal ops keys create`, name an issuer of tokens, or bind to 127.0.0.1',
  DATABASE_LOCKED: 'stop the other server, or choose another `dataDir`',
  DATABASE_UNAVAILABLE: 'start the database, or correct its address',
  DATABASE_DAMAGED:
    'restore the folder from a backup, move it away to begin with an empty one, or choose another `dataDir`; where it is only read, `amodal ops database accept-loss` goes on with what is left',
  MIGRATION_UNKNOWN: 'run the release that wrote this database, or a newer one',
  MIGRATION_CHANGED: 'never edit a released migration; add a new one',
} as const

/** A code of the kernel or of the sdk. */
export type KnownCode = keyof typeof CODES

export const isKnownCode = (code: string): code is KnownCode => Object.hasOwn(CODES, code)

/**
 * A failure with a code that is known everywhere.
 *
 * @example return err(failure('NOT_FOUND', `there is no store ${name}`))
 */
export function failure(
  code: KnownCode,
  message: string,
  more: Omit<Failure, 'code' | 'message' | 'status'> = {},
): Failure {
  return { code, message, ...more }
}

interface Known {
  readonly code: string
  readonly fix?: string | undefined
}

/** The next step: that of its kind, or of its code. */
export const fixOf = ({ code, fix }: Known): string =>
  fix ?? (isKnownCode(code) ? CODES[code] : CODES.INTERNAL)

/** A kind of failure; called with a message, it makes one. */
export interface ErrorKind<C extends string = string> {
  readonly code: C
  /** For a reader who has never met it: what has happened. */
  readonly about: string
  readonly fix: string
  readonly status: number
  (message: string, more?: Pick<Failure, 'details' | 'cause'>): Failure
}

/**
 * Defines a kind of failure of a plugin, which lists it under `errors`. Its code is unique among
 * all plugins. It has a description for the reference pages, a next step and an HTTP status. With
 * status 500, the default, the client receives only an id; the details are in the log.
 *
 * @example
 * export const OfficeClosed = defineError({
 *   code: 'OFFICE_CLOSED',
 *   about: 'A note was left outside of office hours.',
 *   status: 409,
 *   fix: 'call again when the office is open',
 * })
 * // later: return err(OfficeClosed(`it closed at ${closes}:00`))
 */
export function defineError<const C extends string>({
  code,
  about = '',
  fix,
  status = 500,
}: {
  readonly code: C
  readonly about?: string
  readonly fix: string
  readonly status?: number
}): ErrorKind<C> {
  const make = (message: string, more?: Pick<Failure, 'details' | 'cause'>): Failure => ({
    code,
    message,
    fix,
    status,
    ...more,
  })
  return Object.freeze(Object.assign(make, { code, about, fix, status }))
}

/** The kinds of failures that plugins have of their own, by code. `definePlugin` fills it. */
export const ErrorKinds = registry<ErrorKind>('error-kinds')
