import { slot } from '../token.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'
type Write = (event: string, data?: Readonly<Record<string, unknown>>) => void

/**
 * Structured log: an event name in dots and words (`session.opened`), and its facts. Never secrets.
 */
export interface Logger {
  readonly trace: Write
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  /**
   * Whether lines of this level are written; default: they may be. A caller that builds many of
   * them checks it first.
   */
  readonly enabled?: (level: LogLevel) => boolean
  /** The same log, with these facts on every line. */
  child(data: Readonly<Record<string, unknown>>): Logger
}

/**
 * Provided by a plugin or by the embedding application. Without a provider nothing is written.
 */
export const Log = slot.kernel<Logger>('log')

const nothing: Write = () => undefined
export const silentLogger: Logger = Object.freeze({
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  enabled: () => false,
  child: () => silentLogger,
})

/**
 * A log whose target is looked up at each line, so that it can be used before there is one.
 */
export function lateLogger(
  target: () => Logger,
  data: Readonly<Record<string, unknown>> = {},
): Logger {
  let parent: Logger | undefined
  let bound = silentLogger
  const current = (): Logger => {
    const now = target()
    if (now !== parent) {
      parent = now
      bound = now.child(data)
    }
    return bound
  }
  return Object.freeze({
    trace: (event, more) => current().trace(event, more),
    debug: (event, more) => current().debug(event, more),
    info: (event, more) => current().info(event, more),
    warn: (event, more) => current().warn(event, more),
    error: (event, more) => current().error(event, more),
    enabled: (level) => current().enabled?.(level) ?? true,
    child: (more) => lateLogger(current, more),
  } satisfies Logger)
}

/**
 * A log for the time before there is one: buffers its lines, and writes them when it is released.
 */
export function holdingLogger(): { readonly logger: Logger; release(to: Logger): void } {
  const lines: ((to: Logger) => void)[] = []
  const hold = (data: Readonly<Record<string, unknown>>): Logger => {
    const keep =
      (level: LogLevel): Write =>
      (event, more) => {
        lines.push((to) => to[level](event, { ...data, ...more }))
      }
    return {
      trace: keep('trace'),
      debug: keep('debug'),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      child: (more) => hold({ ...data, ...more }),
    }
  }
  return { logger: hold({}), release: (to) => lines.splice(0).forEach((line) => line(to)) }
}
