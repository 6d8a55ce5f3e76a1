import { blame, withDeadline } from './blame.ts'
import type { PluginError } from './errors.ts'
import type { Teardown } from './plugin.ts'

/** One thing to undo, and who is to blame where that fails. */
export interface Undo { readonly plugin: string; readonly where: string; readonly undo: Teardown }

const UNDO_MS = 10_000

/** Last made first. An error never stops the next one; all are returned. */
export async function undoAll(undos: readonly Undo[]): Promise<readonly PluginError[]> {
  const errors: PluginError[] = []
  for (const { plugin, where, undo } of undos.toReversed()) {
    try {
      await withDeadline(undo, UNDO_MS)
    } catch (cause) {
      errors.push(blame(plugin, 'teardown', where, cause))
    }
  }
  return errors
}
