import { PluginError, type PluginPhase } from './errors.ts'

/** The waiting was over before the work. */
export class TimedOut extends Error {
  constructor(ms: number) {
    super(`timed out after ${ms} ms`)
  }
}

/** The error of a plugin, whoever it was thrown at: what is blamed already stays as it is. */
export function blame(plugin: string, phase: PluginPhase, where: string, cause: unknown): PluginError {
  if (PluginError.is(cause)) return cause
  return new PluginError(plugin, phase, where, cause, cause instanceof TimedOut ? 'PLUGIN_TIMEOUT' : 'PLUGIN_FAILED')
}

/** Waits for `work`, at most `ms`. Its timer keeps the process alive: what hangs must be named, not leave a silent exit. */
export async function withDeadline<T>(work: (signal: AbortSignal) => T | PromiseLike<T>, ms: number): Promise<T> {
  const controller = new AbortController()
  const expired = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const timeout = new TimedOut(ms)
    expired.reject(timeout)
    controller.abort(timeout)
  }, ms)
  try {
    return await Promise.race([work(controller.signal), expired.promise])
  } finally {
    clearTimeout(timer)
  }
}
