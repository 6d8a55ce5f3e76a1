import { sectionText } from '@amodal/plugin-prompt/tokens'
import {
  SUMMARY_HEAD,
  type Caller,
  type JsonObject,
  type Message,
  type ModelCall,
  type PrincipalId,
  type PromptDraft,
  type RunContext,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'
import type { Thing } from './thing.ts'

/** Characters of remembered prompts and outlines, of all sessions together. */
const MOST_CHARS = 8_000_000
/** Characters that the outline of one message or section counts for. */
const OUTLINE_CHARS = 200

interface Sent {
  /** ms since the epoch. */
  readonly at: number
  readonly attempt: number
  /** The author of the message that started the run. */
  readonly principal: PrincipalId
  readonly system: string
  readonly sections: PromptDraft['sections']
  readonly tools: readonly string[]
  readonly messages: readonly MessageOutline[]
  readonly chars: number
}

type MessageOutline = {
  readonly role: string
  readonly plugin: string
  readonly chars: number
}

/** Model calls as this process has sent them, the newest ones. */
export class SentCalls {
  readonly #now: () => number
  /** A map iterates in the order of insertion: the oldest stands first. */
  readonly #sent = new Map<string, Sent>()
  #chars = 0

  /** @param now ms since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Remembers a call after the last tap; a later attempt replaces an earlier one. */
  note(call: ModelCall, { tenant, session, run, principal, messages: own }: RunContext): void {
    if (call.aside) return
    const key = keyOf(tenant, session, run, call.step)
    this.#forget(key)
    const messages = call.messages.map((message, index) => ({
      role: message.role,
      plugin: authorOf(message, own[index]),
      chars: JSON.stringify(message.content).length,
    }))
    const { system, sections = [], attempt } = call
    const parts = messages.length + sections.length + call.tools.length
    const chars = system.length + parts * OUTLINE_CHARS
    const tools = call.tools.map(({ name }) => name)
    const at = this.#now()
    this.#sent.set(key, { at, attempt, principal, system, sections, tools, messages, chars })
    this.#chars += chars
    for (const oldest of this.#sent.keys()) {
      if (this.#chars <= MOST_CHARS) break
      this.#forget(oldest)
    }
  }

  /**
   * What was sent for a reply, as its reader may know it: of a prompt that was compiled for another
   * principal only the sizes, since it contains their notes and depends on their roles.
   *
   * @returns `undefined` where this process did not send it, or has forgotten it
   */
  find(
    { tenant, principal: reader }: Pick<Caller, 'tenant' | 'principal'>,
    session: SessionId,
    thing: Thing,
  ): JsonObject | undefined {
    if (thing.kind !== 'reply') return undefined
    const sent = this.#sent.get(keyOf(tenant, session, thing.entry.run, thing.entry.step))
    if (!sent) return undefined
    const { at, attempt, principal, system, sections, tools, messages } = sent
    const isOwn = principal === reader
    return {
      available: true,
      at: new Date(at).toISOString(),
      attempt,
      prompt_bytes: Buffer.byteLength(system),
      sections: sectionsOf(sections, isOwn ? system : ''),
      messages: [...messages],
      ...(isOwn ? { prompt: system, tools: [...tools] } : { tools: [], withheld: true }),
    }
  }

  /** Forgets the calls of a session that is removed. */
  forget(tenant: TenantId, session: SessionId): void {
    const start = JSON.stringify([tenant, session]).slice(0, -1)
    for (const key of this.#sent.keys()) if (key.startsWith(`${start},`)) this.#forget(key)
  }

  #forget(key: string): void {
    const sent = this.#sent.get(key)
    if (!sent) return
    this.#chars -= sent.chars
    this.#sent.delete(key)
  }
}

/**
 * The sections of a prompt with the plugin and the files that they come from. `at`: where it begins
 * in the prompt; `null` where a plugin has changed it, or the prompt is not shown.
 */
function sectionsOf(sections: Sent['sections'], system: string): readonly JsonObject[] {
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

const keyOf = (tenant: TenantId, session: SessionId, run: string, step: number): string =>
  JSON.stringify([tenant, session, run, step])

/** Messages come from the loop, except summaries and shortened results, which compaction wrote. */
function authorOf(message: Message, own: Message | undefined): string {
  if (message.content !== own?.content) return 'compaction'
  const text =
    message.role === 'user' && message.content[0]?.type === 'text' ? message.content[0].text : ''
  return text.startsWith(SUMMARY_HEAD) ? 'compaction' : 'loop'
}
