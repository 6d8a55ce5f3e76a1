import { messageOf } from './result.ts'

/**
 * Every code that can leave the product, with the next step for whoever meets it.
 * A code is added here first; a test fails on codes that are not in this table.
 */
export const CODES = {
  // plan
  DUPLICATE_NAME: 'give one of them another name with `as`, or remove it',
  SLOT_CONFLICT: 'keep one provider: `replace` the other, or wrap it with `decorates`',
  MISSING_PROVIDER: 'add a plugin that provides it',
  CYCLE: 'break the circle: make one of these `optional`, or use a registry',
  BAD_CONFIG: 'correct the configuration at the path given',
  SCOPE_LEAK: 'ask for it from the scope it lives in',
  KERNEL_VERSION: 'install a version of the plugin made for this kernel',
  UNTRUSTED_SEAL:
    'mark the entry `trusted: true` in the preset or in amodal.json, or tap an earlier stage',
  PINNED_REMOVED: 'keep the plugin, or say `unsafe: true` beside its `without`',
  GUARD_MISSING: 'add the plugin that taps this hook, or choose another preset',
  OPTIONAL_GUARD: 'remove `optional`: a plugin that guards may not drop out',
  RESTART_NEEDED: 'start a new process: this plugin cannot be exchanged in a running one',
  UNKNOWN_ENTRY: 'name a plugin that is in the list',
  NOT_A_PLUGIN: 'export the value that `definePlugin` returns as default',
  PLUGIN_NOT_FOUND: 'check the name or path, or install the package beside amodal.json',
  UNDECLARED: 'declare it in the plugin definition',
  SEALED: 'tap inside `setup`; hooks are closed afterwards',
  // run time of plugins
  PLUGIN_FAILED: 'see the cause; the plugin named here is at fault',
  PLUGIN_TIMEOUT: 'the plugin named here did not answer in time',
  BAD_VALUE: 'the plugin named here returned a value the hook does not allow',
  KERNEL_CLOSED: 'the server is stopping; try again on another instance',
  // files and configuration
  ENV_NOT_SET: 'set the variable in the environment or in .env',
  NOT_ISOLATED:
    'install bubblewrap or util-linux, or say in amodal.json what keeps handlers apart: docs/run-it.md#handlers-of-tools',
  BAD_REPO: 'correct the file at the line given',
  NOT_FOUND: 'check the name',
  UNREADABLE: 'make the file or folder readable',
  // sessions
  VALIDATION_ERROR: 'correct the request',
  SESSION_NOT_FOUND: 'start a new session, or check its id',
  SESSION_EXPIRED: 'start a new session',
  ASK_NOT_FOUND: 'the question is not open any more',
  ANSWER_INVALID: 'answer with a value that fits `pending_input_schema`',
  RUN_ACTIVE: 'wait for the run to end, or cancel it',
  QUEUE_FULL: 'wait for earlier messages to be answered',
  MESSAGE_CONFLICT: 'use a new Idempotency-Key for another message',
  // journal
  COMMIT_IN_DOUBT: 'resume the session to see what became true',
  LEASE_LOST: 'another instance goes on with this run; resume the stream',
  STORE_FAILED: 'check the database',
  UNKNOWN_ENTRY_VERSION: 'run a release that knows this version',
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
  LOOP_DETECTED: 'say differently what you need; the same calls came again and again',
  BUDGET_EXCEEDED: 'send another message, or raise the limit named here',
  TOOL_UNKNOWN: 'use one of the tools listed',
  TOOL_SCHEMA: 'describe the parameters as an object, such as `z.object({ … })`',
  TOOL_ARGUMENTS: 'correct the arguments to fit the schema of the tool',
  TOOL_FAILED: 'see the message of the tool',
  RESULT_TOO_LARGE: 'ask the tool for less, or give it another `resultPersistence`',
  TOOL_TIMEOUT: 'the tool did not answer in time',
  TOOL_CHANGED: 'ask again: the tool is not what was approved',
  TAINT_IGNORED: 'remove `taint` where a stranger may not decide that it is done',
  TOOL_DENIED: 'do not call it again in this turn; tell the person',
  AUDIT_UNAVAILABLE:
    'look at the database or file that the audit log is kept in; nothing is changed until it can be written',
  APPROVAL_REQUIRED: 'let the model call it, so that a person can approve it',
  OUTPUT_BLOCKED: 'ask for it without restricted data; the log names what was found',
  OUTPUT_CUT:
    'ask for less at once, or raise `budget` of guard-output: looking at the reply took too much work',
  ANSWER_WITHHELD:
    'ask another endpoint, or let somebody list in access.json what of this answer may be told (allow_fields)',
  HANDLE_REFUSED: 'send it to the connection it came from, or leave it out',
  OUTCOME_UNKNOWN: 'check the target before repeating it',
  OUTBOUND_REFUSED: 'use an address that is allowed',
  OUTBOUND_FAILED: 'check the address, and that the target runs; then try again',
  TARGET_ERROR: 'see what the target answered, and correct the request',
  CONTEXT_MISSING: 'sign in, or send the value in `context`',
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
    'restore the folder from a backup, move it away to begin with an empty one, or choose another `dataDir`',
  MIGRATION_UNKNOWN: 'run the release that wrote this database, or a newer one',
  MIGRATION_CHANGED: 'never edit a released migration; add a new one',
  TIMEOUT: 'try again',
  INTERNAL: 'this is a defect: please report it with the log line',
} as const

export type Code = keyof typeof CODES

/**
 * An error as a value: a code, what happened, and what to do. `status` is the HTTP status where it
 * leaves the product.
 */
export interface Failure {
  readonly code: Code
  readonly message: string
  readonly status?: number
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

export function failure(
  code: Code,
  message: string,
  more: Omit<Failure, 'code' | 'message'> = {},
): Failure {
  return { code, message, ...more }
}

export type PluginPhase = 'config' | 'setup' | 'provide' | 'boot' | 'hook' | 'tool' | 'teardown'

const PLUGIN_ERROR = Symbol.for('amodal.plugin-error')

/** Whatever fails inside a plugin, carrying the plugin, the phase and the place. */
export class PluginError extends Error {
  readonly [PLUGIN_ERROR] = true
  readonly plugin: string
  readonly phase: PluginPhase
  readonly where: string
  readonly code: Code

  constructor(
    plugin: string,
    phase: PluginPhase,
    where: string,
    cause: unknown,
    code: Code = 'PLUGIN_FAILED',
  ) {
    super(`[${plugin}] failed in ${phase} ${where}: ${messageOf(cause)}`, { cause })
    this.name = 'PluginError'
    this.plugin = plugin
    this.phase = phase
    this.where = where
    this.code = code
  }

  /** Works across two copies of the kernel, where `instanceof` does not. */
  static is(value: unknown): value is PluginError {
    return typeof value === 'object' && value !== null && PLUGIN_ERROR in value
  }

  toFailure(): Failure {
    return failure(this.code, this.message, { cause: this.cause })
  }
}
