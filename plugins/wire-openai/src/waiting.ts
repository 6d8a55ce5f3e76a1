import { clientCallOf } from '@amodal/plugin-client-tools/tokens'
import {
  redact,
  type JsonObject,
  type PendingAsk,
  type SequencedEntry,
  type SessionId,
} from '@amodal/sdk'
import { askedContext } from '@amodal/sdk/wire'
import { RESPOND } from './client-tools.ts'
import { clientCallId } from './wire-id.ts'

/** A call that the client is to execute, or to answer. */
export interface HandedCall {
  readonly callId: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** What a run waits for, as far as this client can give it. */
export interface Waiting {
  readonly calls: readonly HandedCall[]
  /** What only a person can answer elsewhere, in words. */
  readonly people: readonly string[]
}

interface AskedOf {
  readonly session: SessionId
  /** The journal, where what guards withhold is left out. */
  readonly entries: readonly SequencedEntry[]
  /** The client can answer for a person. */
  readonly canRespond: boolean
}

export function waitingFor(
  asks: readonly PendingAsk[],
  { session, entries, canRespond }: AskedOf,
): Waiting {
  const calls: HandedCall[] = []
  const people: string[] = []
  for (const ask of asks) {
    const context = askedContext(ask, entries)
    const call = clientCallOf({ context })
    const callId = clientCallId(session, ask.id)
    if (call) calls.push({ callId, name: call.name, arguments: JSON.stringify(call.arguments) })
    else if (canRespond)
      calls.push({ callId, name: RESPOND, arguments: JSON.stringify(shownAsk(ask, context)) })
    else people.push(inWords(ask, context))
  }
  return { calls, people }
}

const shownAsk = ({ id, type, schema }: PendingAsk, context: JsonObject): JsonObject => ({
  ask_id: id,
  pending_input_type: type,
  pending_input_schema: schema,
  pending_input_context: redact(context),
})

function inWords({ type }: PendingAsk, context: JsonObject): string {
  const text = (name: string): string => {
    const value = context[name]
    return typeof value === 'string' ? value : ''
  }
  switch (type) {
    case 'approval':
      return `An approval is needed for "${text('tool')}": ${text('reason')}.`
    case 'question':
      return text('question')
    case 'continue_or_finish':
      return `A decision is needed: ${text('message')}`
    default:
      return type satisfies never
  }
}

/** Where a person answers, for those who cannot. */
export interface AnswerLink {
  /** The session and what it waits for. */
  readonly session_url: string
  /** Takes `{session_id, id, approved | answers}`. */
  readonly answer_url: string
}

export const linkTo = (origin: string, session: SessionId): AnswerLink => ({
  session_url: `${origin}/sessions/${encodeURIComponent(session)}`,
  answer_url: `${origin}/ask-user-response`,
})

/** The words in place of an answer. */
export const waitingText = (people: readonly string[], link: AnswerLink): string =>
  `${people.join('\n')}\nThe run waits for it: ${link.session_url}`
