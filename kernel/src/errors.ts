import { messageOf } from './result.ts'

/** The error codes of the kernel, each with the next step. */
export const KERNEL_CODES = {
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
  PINNED_REMOVED: 'keep the plugin, or pass `unsafe: true` to its `without`',
  GUARD_MISSING: 'add the plugin that taps this hook, or choose another preset',
  OPTIONAL_GUARD: 'remove `optional`: a plugin that guards may not drop out',
  RESTART_NEEDED: 'start a new process: this plugin cannot be replaced in a running one',
  UNKNOWN_ENTRY: 'name a plugin that is in the list',
  NOT_A_PLUGIN: 'export the value that `definePlugin` returns as default',
  UNDECLARED: 'declare it in the plugin definition',
  SEALED: 'tap inside `setup`; hooks are closed afterwards',
  // run time of plugins
  PLUGIN_FAILED: 'see the cause; the plugin named here is at fault',
  PLUGIN_TIMEOUT: 'the plugin named here did not return in time',
  BAD_VALUE: 'the plugin named here returned a value the hook does not allow',
  KERNEL_STARTING: 'wait until `Kernel.create` has resolved',
  KERNEL_CLOSED: 'the server is stopping; try again on another instance',
  // journal
  COMMIT_IN_DOUBT: 'resume the session to see what was committed',
  STORE_FAILED: 'check the database',
  UNKNOWN_ENTRY_VERSION: 'run a release that knows this version',
  // models and tools
  OUTCOME_UNKNOWN: 'check the target before repeating it',
  // http
  TIMEOUT: 'try again',
  INTERNAL: 'this is a defect: please report it with the log line',
} as const

export type KernelCode = keyof typeof KERNEL_CODES
/** A code of the kernel, of the sdk, or of a plugin. */
export type Code = KernelCode | (string & {})

/**
 * An error as a value: a code, a message, and the next step. The HTTP status belongs to the code;
 * `status` and `fix`, the next step, are set where the kind of the failure is a plugin's own.
 */
export interface Failure {
  readonly code: Code
  readonly message: string
  readonly fix?: string
  readonly status?: number
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

export function failure(
  code: KernelCode,
  message: string,
  more: Omit<Failure, 'code' | 'message' | 'status'> = {},
): Failure {
  return { code, message, ...more }
}

export type PluginPhase = 'config' | 'setup' | 'provide' | 'boot' | 'hook' | 'tool' | 'teardown'

const PLUGIN_ERROR = Symbol.for('amodal.plugin-error')

/** An error inside a plugin, with the plugin, the phase and the place. */
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
    return { code: this.code, message: this.message, cause: this.cause }
  }
}
