import { slot, type Failure, type JournalEntry, type Result } from '@amodal/kernel'
import type { ToolContext } from './tool.ts'

/**
 * Puts withheld values back where they may go. A handle stands for a value in arguments as they are
 * judged, approved and kept.
 */
export interface Handles {
  /**
   * A text of what is about to be sent, with values in the place of their handles. Called by what
   * sends, on every text of `ctx.action`, after the last guard: what was approved holds the handle,
   * and the target gets the value.
   *
   * @param ctx of the call; the connection it goes to is that of `ctx.action`
   * @returns `HANDLE_REFUSED` where a handle is not known in this session, or where neither this
   *   connection gave the value nor the principal may see it
   * @example
   * const text = ctx.scope.find(Handles)?.reveal(body, ctx) ?? ok(body)
   */
  reveal(
    text: string,
    ctx: Pick<ToolContext, 'scope' | 'roles' | 'action'>,
  ): Result<string, Failure>
}
export const Handles = slot.kernel<Handles>('handles')

/**
 * Looks at what leaves without being an event: sessions as they are read and exported, deliveries.
 */
export interface Outgoing {
  /** A text without what may not leave. */
  text(text: string): string
  /** An entry of the journal as somebody outside may see it. Ids, kinds and hashes stay. */
  entry<E extends JournalEntry>(entry: E): E
}
export const Outgoing = slot.kernel<Outgoing>('outgoing')
