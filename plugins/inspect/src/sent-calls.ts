import {
  SUMMARY_HEAD,
  type JsonObject,
  type Message,
  type ModelCall,
  type PrincipalId,
  type RunContext,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'
import { describeSections, type SentCall, type SentModelCalls } from './tokens.ts'

/** Characters of remembered prompts and outlines, of all sessions together. */
const MOST_CHARS = 8_000_000
/** Characters that the outline of one message or section counts for. */
const OUTLINE_CHARS = 200

interface Entry {
  readonly call: SentCall
  readonly ofSession: string
  readonly chars: number
}

/** Remembers model calls as this process sends them. */
export class SentCalls implements SentModelCalls {
  readonly #now: () => number
  /** A map iterates in the order of insertion: the oldest call is first. */
  readonly #entries = new Map<string, Entry>()
  /** The key of the newest call of each session. */
  readonly #newest = new Map<string, string>()
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
    const { config, step, attempt, system, sections = [] } = call
    const { provider, model } = config
    const tools = call.tools.map(({ name }) => name)
    const chars = system.length + (messages.length + sections.length + tools.length) * OUTLINE_CHARS
    const at = this.#now()
    const ofSession = keyOf(tenant, session)
    this.#entries.set(key, {
      call: {
        ...{ at, run, step, attempt, provider, model, principal },
        ...{ system, sections, tools, messages },
      },
      ofSession,
      chars,
    })
    this.#newest.set(ofSession, key)
    this.#chars += chars
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= MOST_CHARS) break
      this.#forget(oldest)
    }
  }

  newest(tenant: TenantId, session: SessionId): SentCall | undefined {
    const key = this.#newest.get(keyOf(tenant, session))
    return key === undefined ? undefined : this.#entries.get(key)?.call
  }

  find(tenant: TenantId, session: SessionId, run: string, step: number): SentCall | undefined {
    return this.#entries.get(keyOf(tenant, session, run, step))?.call
  }

  /** Forgets the calls of a session that is removed. */
  forget(tenant: TenantId, session: SessionId): void {
    const removed = keyOf(tenant, session)
    for (const [key, { ofSession }] of this.#entries) if (ofSession === removed) this.#forget(key)
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#chars -= entry.chars
    this.#entries.delete(key)
    if (this.#newest.get(entry.ofSession) === key) this.#newest.delete(entry.ofSession)
  }
}

/** Of a prompt that was compiled for another principal than its reader, only sizes are reported. */
export function reportOf(session: SessionId, call: SentCall, reader: PrincipalId): JsonObject {
  const { at, run, step, attempt, provider, model, principal, system, sections } = call
  const isOwn = principal === reader
  return {
    session_id: session,
    run_id: run,
    at: new Date(at).toISOString(),
    ...{ step, attempt, provider, model },
    system_prompt: isOwn ? system : '',
    segments: [...describeSections(sections, isOwn ? system : '')],
    tools: isOwn ? [...call.tools] : [],
    ...(!isOwn && { withheld: true }),
    messages: [...call.messages],
  }
}

const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts)

/** Messages come from the loop, except summaries and shortened results, which compaction wrote. */
function authorOf(message: Message, own: Message | undefined): string {
  if (message.content !== own?.content) return 'compaction'
  const text =
    message.role === 'user' && message.content[0]?.type === 'text' ? message.content[0].text : ''
  return text.startsWith(SUMMARY_HEAD) ? 'compaction' : 'loop'
}
