import { isObject, type AskType, type JsonObject } from '@amodal/sdk'
import { isApproved } from '../verdict.ts'
import type { AskThing } from '../thing.ts'
import type { RowFacts, RowStatus } from './row.ts'
import { iso, lineOf } from './text.ts'

type Decision = 'approved' | 'declined' | 'expired' | 'cancelled' | 'answered'

/** What became of a question; `undefined` while it waits. */
export function decisionOf({ entry, answer, run }: AskThing): Decision | undefined {
  if (!answer) return run.end ? 'cancelled' : undefined
  if (answer.void === 'expired') return 'expired'
  if (answer.void !== undefined) return 'cancelled'
  if (entry.ask_type !== 'approval') return 'answered'
  return isApproved(answer) ? 'approved' : 'declined'
}

const STATUS: Readonly<Record<Decision, RowStatus>> = {
  approved: 'done',
  answered: 'done',
  declined: 'refused',
  expired: 'refused',
  cancelled: 'cancelled',
}

/** The row of something that a person is asked. */
export function askFacts(thing: AskThing): RowFacts {
  const { entry, answer, of } = thing
  const { ask, ask_type: type, at, name, context, expires_at: expires } = entry
  const decision = decisionOf(thing)
  const end = answer?.at ?? thing.run.end?.at
  const { tier, reason, rule } = context
  const { scope } = answer?.answer ?? {}
  const facts: JsonObject = {
    ask_id: ask,
    type,
    decision: decision ?? null,
    ...(name !== undefined && { tool: name }),
    ...(typeof tier === 'string' && { tier }),
    ...(typeof rule === 'string' && { rule }),
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    // an expired question is answered by nobody
    ...(answer && decision !== 'expired' && { by: answer.principal }),
    ...(answer && { answered_at: iso(answer.at) }),
    ...(scope === 'conversation' && { scope }),
    ...(expires !== undefined && { expires_at: iso(expires) }),
  }
  return {
    kind: type === 'approval' ? 'approval' : 'question',
    title: titleOf(thing, decision),
    status: decision === undefined ? 'waiting' : STATUS[decision],
    startedAt: at,
    ms: 0,
    waitingMs: end === undefined ? null : Math.max(0, end - at),
    ask: facts,
    ...(of !== undefined && { of }),
  }
}

const TITLES: Readonly<Record<AskType, string>> = {
  approval: 'Approval',
  question: 'Question',
  continue_or_finish: 'Continue or finish',
}

function titleOf({ entry }: AskThing, decision: Decision | undefined): string {
  const { ask_type: type, name, context, questions } = entry
  const { question, message } = context
  const texts = [questions?.[0]?.text, question, message, name]
  const text = texts.find((one): one is string => typeof one === 'string' && one !== '') ?? ''
  const about = type === 'approval' ? (name ?? agentIn(context)) : text
  const subject = about === '' ? TITLES[type] : `${TITLES[type]}: ${lineOf(about, 120)}`
  return `${subject} (${decision ?? 'waits for a person'})`
}

/** An approval that a sub-agent asks for has the tool in its context. */
function agentIn(context: JsonObject): string {
  const { tool } = isObject(context) ? context : {}
  return typeof tool === 'string' ? tool : ''
}
