import { PluginError, type PluginPhase } from './errors.ts'
import { TimedOut, withDeadline } from './limit.ts'

/** The error of a plugin, whoever it was thrown at: what is blamed already stays as it is. */
export function blame(
  plugin: string,
  phase: PluginPhase,
  where: string,
  cause: unknown,
): PluginError {
  if (PluginError.is(cause)) return cause
  return new PluginError(
    plugin,
    phase,
    where,
    cause,
    cause instanceof TimedOut ? 'PLUGIN_TIMEOUT' : 'PLUGIN_FAILED',
  )
}

export type Teardown = () => void | Promise<void>
/** One thing to undo, and who is to blame where that fails. */
export interface Undo {
  readonly plugin: string
  readonly where: string
  readonly undo: Teardown
}

const UNDO_MS = 10_000

/** Empties the list, last made first. An error never stops the next one; all are returned. */
export async function undoAll(undos: Undo[]): Promise<readonly PluginError[]> {
  const errors: PluginError[] = []
  for (let last = undos.pop(); last; last = undos.pop()) {
    const { plugin, where, undo } = last
    await withDeadline(undo, UNDO_MS).catch((cause: unknown) =>
      errors.push(blame(plugin, 'teardown', where, cause)),
    )
  }
  return errors
}
