import { sectionText } from '@amodal/plugin-prompt/tokens'
import {
  slot,
  type JsonObject,
  type PrincipalId,
  type PromptDraft,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'

/** A model call as it was sent, after all plugins had changed it. */
export interface SentCall {
  /** ms since the epoch. */
  readonly at: number
  readonly run: string
  readonly step: number
  readonly attempt: number
  readonly provider: string
  readonly model: string
  /**
   * The author of the message that started the run: prompt and tools contain that person's notes
   * and depend on their roles, so other callers do not see them.
   */
  readonly principal: PrincipalId
  readonly system: string
  readonly sections: readonly PromptDraft['sections'][number][]
  readonly tools: readonly string[]
  readonly messages: readonly MessageOutline[]
}

export interface MessageOutline extends JsonObject {
  readonly role: string
  /** The plugin that the message comes from. */
  readonly plugin: string
  readonly chars: number
}

/** The newest model calls of this process: of all sessions together, bounded by their size. */
export interface SentModelCalls {
  /** The newest one of a session. */
  newest(tenant: TenantId, session: SessionId): SentCall | undefined
  /** The last attempt at a step of a run. */
  find(tenant: TenantId, session: SessionId, run: string, step: number): SentCall | undefined
}
export const SentModelCalls = slot.kernel<SentModelCalls>('sent-model-calls')

/**
 * Sections of a prompt with the plugin and the files behind each. `at`: where it begins in the
 * prompt; `null` where a plugin has changed it, or the prompt is not shown (`system` is empty).
 */
export function describeSections(
  sections: SentCall['sections'],
  system: string,
): readonly JsonObject[] {
  let from = 0
  return sections.map((section) => {
    const { id, title, category, plugin, changedBy = [], parts = [] } = section
    const text = sectionText(section)
    const at = system.indexOf(text, from)
    if (at !== -1) from = at + text.length
    return {
      id,
      title,
      plugin,
      ...(changedBy.length > 0 && { changed_by: [...changedBy] }),
      category,
      at: at === -1 ? null : at,
      bytes: Buffer.byteLength(text),
      chars: text.length,
      parts: parts.map(({ name, chars, file }) => ({
        name,
        chars,
        ...(file !== undefined && { file }),
      })),
    }
  })
}
