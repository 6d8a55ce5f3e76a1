import {
  err,
  ok,
  OutputRedactor,
  Sealer,
  Secrets,
  SessionStore,
  trySync,
  type Agent,
  type Caller,
  type Failure,
  type Generation,
  type RedactedValue,
  type Result,
  type SequencedEntry,
  type SessionId,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { parseExact } from '@amodal/sdk/data'
import { readEntry } from '@amodal/sdk/loop'
import { EvalNotPromotable } from '../errors.ts'
import { reachesOut } from '../trial/stubbed-tools.ts'
import type { Conversation } from './conversation.ts'
import type { ReachesOut } from './promoted-calls.ts'
import { promote, type Promotion, type PromotionParts, type PromotionRequest } from './promotion.ts'
import { plainName } from './scrubbing.ts'

export interface PromoterParts {
  readonly agent: Agent
  readonly scope: () => Generation['scope']
}

/** Most sub-agents that a conversation may have. */
const MOST_SESSIONS = 200

/** Makes cases of conversations that this agent had. */
export class Promoter {
  readonly #parts: PromoterParts

  constructor(parts: PromoterParts) {
    this.#parts = parts
  }

  /**
   * Makes a case of a session that the caller may see. It reads the journal as it is stored: what
   * is only hidden from clients is replaced by a stand-in instead.
   */
  async promote(
    caller: Caller,
    session: SessionId,
    request: PromotionRequest,
    signal: AbortSignal,
  ): Promise<Result<Promotion, Failure>> {
    const parts = await this.#promotionParts(caller, signal)
    if (!parts.ok) return parts
    const conversation = await this.#read(caller, session, signal)
    return conversation.ok ? promote(conversation.value, request, parts.value) : conversation
  }

  async #promotionParts(
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Result<PromotionParts, Failure>> {
    const { agent, scope } = this.#parts
    const redactor = scope().find(OutputRedactor)
    if (!redactor)
      return err(EvalNotPromotable('nothing here finds personal data: add the plugin guard-output'))
    const compiled = await agent.compiled(signal, undefined, caller)
    if (!compiled.ok) return compiled
    const bundle = agent.bundle()
    const fields = (bundle ? connectionsOf(bundle) : []).flatMap(
      ({ access }) => access.fieldRestrictions,
    )
    return ok({
      reachesOut: reachesOutOf(compiled.value.tools.tools),
      secrets: scope().find(Secrets),
      restricted: new Set(
        fields.map(({ field }) => plainName(field.split(/[./:[\]]+/).findLast(Boolean) ?? field)),
      ),
      findNumbers: (text) => redactor.personalNumbers(text),
    })
  }

  async #read(
    caller: Caller,
    session: SessionId,
    signal: AbortSignal,
  ): Promise<Result<Conversation, Failure>> {
    const client = this.#parts.agent.as(caller)
    const children = new Map<SessionId, readonly SequencedEntry[]>()
    const redacted: RedactedValue[] = []
    let isShown = false
    const open = [session]
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      if (children.has(next)) continue
      if (children.size >= MOST_SESSIONS)
        return err(EvalNotPromotable(`it has more than ${MOST_SESSIONS} sub-agents`))
      const view = await client.session(next, signal)
      if (!view.ok) return view
      const stored = await this.#stored(caller, next, signal)
      if (!stored.ok) return stored
      isShown ||= stored.value === undefined
      const entries = stored.value?.entries ?? view.value.entries
      redacted.push(...(stored.value?.redacted ?? []))
      children.set(next, entries)
      for (const entry of entries) if (entry.kind === 'child_opened') open.push(entry.child)
    }
    return ok({ session, entries: children.get(session) ?? [], children, isShown, redacted })
  }

  /** `undefined` where no storage of sessions is there. */
  async #stored(
    { tenant }: Caller,
    session: SessionId,
    signal: AbortSignal,
  ): Promise<
    Result<
      | { readonly entries: readonly SequencedEntry[]; readonly redacted: readonly RedactedValue[] }
      | undefined,
      Failure
    >
  > {
    const scope = this.#parts.scope()
    const store = scope.find(SessionStore)
    if (!store) return ok(undefined)
    const read = await store.entries({ tenant, session }, { after: 0 }, signal)
    if (!read.ok) return read
    const entries: SequencedEntry[] = []
    const redacted: RedactedValue[] = []
    const sealer = scope.find(Sealer)
    for (const one of read.value) {
      const entry = readEntry(one)
      if (!entry.ok) return entry
      const { sealed, ...open } = entry.value
      entries.push(open)
      const opened =
        sealed !== undefined && holdsRedacted(open)
          ? sealer?.open({ tenant, session }, sealed)
          : undefined
      if (opened?.ok) redacted.push(...valuesIn(opened.value))
    }
    return ok({ entries, redacted })
  }
}

/** Others seal the arguments of a call. */
const holdsRedacted = (entry: SequencedEntry): boolean =>
  entry.kind === 'tool_outcome' || (entry.kind === 'input_asked' && entry.ask_type === 'question')

function valuesIn(text: string): readonly RedactedValue[] {
  const read = trySync(
    () => parseExact(text) as readonly RedactedValue[], // sealed by the product itself
    () => undefined,
  )
  return read.ok ? read.value : []
}

function reachesOutOf(tools: readonly Parameters<typeof reachesOut>[0][]): ReachesOut {
  const known = new Map(tools.map((tool) => [tool.name, reachesOut(tool)]))
  return (name) => known.get(name)
}
