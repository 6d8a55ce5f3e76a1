import { sectionText } from '@amodal/plugin-prompt/tokens'
import {
  SUMMARY_HEAD,
  type JsonObject,
  type Message,
  type ModelCall,
  type PrincipalId,
  type PromptDraft,
  type RunContext,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'

/** Sessions whose newest call is remembered. */
const MAX_SESSIONS = 50

interface Sent {
  /** ms since the epoch. */
  readonly at: number
  readonly run: string
  /** The author of the message that started the run. */
  readonly principal: PrincipalId
  readonly call: ModelCall
  readonly messages: readonly Message[]
  /** The conversation that they are made of. */
  readonly own: readonly Message[]
}

/** The newest model call of each session, after all plugins have changed it. */
export class SentCalls {
  readonly #now: () => number
  readonly #sent = new Map<string, Sent>()

  /** @param now ms since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  note(call: ModelCall, ctx: RunContext): void {
    if (call.aside) return
    const key = keyOf(ctx.tenant, ctx.session)
    this.#sent.delete(key) // a map keeps the order of insertion: the newest stands last
    const { run, principal } = ctx
    this.#sent.set(key, {
      at: this.#now(),
      call,
      messages: [...call.messages],
      own: [...ctx.messages],
      run,
      principal,
    })
    const [oldest] = this.#sent.keys()
    if (this.#sent.size > MAX_SESSIONS && oldest !== undefined) this.#sent.delete(oldest)
  }

  /**
   * Reports the last call and the plugin behind each part; `undefined` if this process has sent
   * none. Of tool results only the size is reported, and likewise of a prompt that was compiled
   * for another principal: it contains their notes and depends on their roles.
   */
  report(tenant: TenantId, session: SessionId, reader: PrincipalId): JsonObject | undefined {
    const sent = this.#sent.get(keyOf(tenant, session))
    if (!sent) return undefined
    const {
      at,
      run,
      call: { config, step, attempt, system, sections = [], tools },
      messages,
      own,
      principal,
    } = sent
    return {
      session_id: session,
      run_id: run,
      at: new Date(at).toISOString(),
      step,
      attempt,
      provider: config.provider,
      model: config.model,
      ...(principal === reader
        ? {
            system_prompt: system,
            segments: segmentsOf(sections, system),
            tools: tools.map(({ name }) => name),
          }
        : { system_prompt: '', segments: segmentsOf(sections, ''), tools: [], withheld: true }),
      messages: messages.map((message, index) => ({
        role: message.role,
        plugin: authorOf(message, own[index]),
        chars: JSON.stringify(message.content).length,
      })),
    }
  }
}

/**
 * The position of each section in a system prompt. Text between sections comes from the compiler;
 * a section that is not found verbatim was changed by a plugin.
 */
export function segmentsOf(sections: PromptDraft['sections'], system: string): JsonObject[] {
  let from = 0
  return sections.map((section) => {
    const { id, category, plugin, changedBy = [] } = section
    const text = sectionText(section)
    const at = system.indexOf(text, from)
    if (at !== -1) from = at + text.length
    return {
      id,
      plugin,
      ...(changedBy.length > 0 && { changed_by: [...changedBy] }),
      category,
      at: at === -1 ? null : at,
      chars: text.length,
    }
  })
}

const keyOf = (tenant: TenantId, session: SessionId): string => JSON.stringify([tenant, session])

/** Messages come from the loop, except summaries and shortened results, which compaction made. */
function authorOf(message: Message, own: Message | undefined): string {
  if (message.content !== own?.content) return 'compaction'
  const text =
    message.role === 'user' && message.content[0]?.type === 'text' ? message.content[0].text : ''
  return text.startsWith(SUMMARY_HEAD) ? 'compaction' : 'loop'
}
