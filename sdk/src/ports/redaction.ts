import { slot, type Failure, type JournalEntry, type JsonObject, type Result } from '@amodal/kernel'
import type { ToolContext } from './tool.ts'

/**
 * Replaces redaction handles by their values where these may be sent. A handle stands for a value
 * in arguments while they are guarded, approved and stored.
 */
export interface RedactionHandles {
  /**
   * Replaces the handles in a text that is about to be sent. The sender calls it for every text of
   * `ctx.action`, after the last guard: what was approved contains the handle, and the target gets
   * the value.
   *
   * @param ctx of the call; the connection it goes to is that of `ctx.action`
   * @returns `HANDLE_REFUSED` where a handle is not known in this session, or where neither this
   *   connection gave the value nor the principal may see it
   * @example
   * const text = ctx.scope.find(RedactionHandles)?.reveal(body, ctx) ?? ok(body)
   */
  reveal(
    text: string,
    ctx: Pick<ToolContext, 'scope' | 'roles' | 'action'>,
  ): Result<string, Failure>
}
export const RedactionHandles = slot.kernel<RedactionHandles>('redaction-handles')

/** A number or an address in a text that leads to a person or to their bank. */
export interface PersonalNumber {
  readonly kind: 'ssn' | 'card' | 'iban' | 'bank_account' | 'email' | 'phone'
  readonly start: number
  /** Behind its last character. */
  readonly end: number
}

/**
 * Redacts output that is not an event: sessions that are read or exported, and deliveries.
 */
export interface OutputRedactor {
  /** Returns the text without restricted values. */
  text(text: string): string
  /** Returns a journal entry without restricted values. Ids, kinds and hashes stay. */
  entry<E extends JournalEntry>(entry: E): E
  /**
   * The paths at which a value that is about to be sent contains a redacted value of this session
   * that neither came from the target connection nor may be seen by the principal. The sender calls
   * it for a person's answer to a question of the target; arguments are checked by the guards.
   *
   * @param ctx of the call; the connection it goes to is that of `ctx.action`
   * @returns paths, such as `note` and `tags[0]`
   */
  redactedPaths(
    value: JsonObject,
    ctx: Pick<ToolContext, 'scope' | 'roles' | 'action'>,
  ): readonly string[]
  /**
   * Numbers of persons and banks in a text, and their addresses, of every kind, whatever the
   * configuration looks for; in order and without overlaps. `undefined`: the text takes too much
   * work to look at.
   */
  personalNumbers(text: string): readonly PersonalNumber[] | undefined
}
export const OutputRedactor = slot.kernel<OutputRedactor>('output-redactor')
