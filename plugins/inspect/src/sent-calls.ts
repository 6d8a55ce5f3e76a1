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

/** Conversations whose newest call is kept. */
const KEPT = 50

interface Sent {
  /** ms since the epoch. */
  readonly at: number
  readonly run: string
  /** Whose message it answers. */
  readonly principal: PrincipalId
  readonly call: ModelCall
  readonly messages: readonly Message[]
  /** The conversation that they are made of. */
  readonly own: readonly Message[]
}

/** The newest call of each conversation, as it left for the model. */
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
    if (this.#sent.size > KEPT && oldest !== undefined) this.#sent.delete(oldest)
  }

  /**
   * What was sent last, and who put each part of it there; nothing where this process has sent
   * nothing. Results of tools are told by their size only, and so is a prompt with somebody else's
   * notes, made for somebody else's roles.
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
 * Where each section stands in a system prompt. What stands between two is of nobody but the
 * compiler; a section that is not found word for word was changed on its way.
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

/** The conversation is the loop's; summaries, and results that were made shorter, are not. */
function authorOf(message: Message, own: Message | undefined): string {
  if (message.content !== own?.content) return 'compaction'
  const text =
    message.role === 'user' && message.content[0]?.type === 'text' ? message.content[0].text : ''
  return text.startsWith(SUMMARY_HEAD) ? 'compaction' : 'loop'
}
