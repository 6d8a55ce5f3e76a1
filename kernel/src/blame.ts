import { PluginError, type PluginPhase } from './errors.ts'
import { TimedOut, withDeadline } from './limit.ts'

/** Wraps an error with its plugin; an error that names a plugin already is returned unchanged. */
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
/** A teardown, and the plugin that is named where it fails. */
export interface Undo {
  readonly plugin: string
  readonly where: string
  readonly undo: Teardown
}

const UNDO_MS = 10_000

/** Runs the teardowns in reverse order and empties the list. All errors are returned. */
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
