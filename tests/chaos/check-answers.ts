import type { JsonObject, SequencedEntry } from '@amodal/kernel'
import { of, seenOf, type Answer, type Heard, type History, type Report } from './history.ts'
import { effectsIn } from './outside.ts'

/** How the clients are called that answer what the others have left. */
export const LATER = 'later'

interface Given {
  readonly client: string
  readonly answer: Answer
  readonly heard: Heard
  readonly code: string
  /** When it was given, and when something was heard of it: ms since the run began. */
  readonly begun: number
  readonly over: number
}

/**
 * Of all answers to a question one counts, and it is that of the client who was told so. Where
 * nobody was told, it may be one whose receipt was lost. What was refused is not obeyed.
 */
export function checkAnswers(history: History, report: Report): void {
  const givenTo = new Map<string, Given[]>()
  const heard = new Map(seenOf(history, 'answered').map((one) => [`${one.ask} ${one.client}`, one]))
  for (const { ask, client, answer, at: begun } of seenOf(history, 'answering')) {
    const result = heard.get(`${ask} ${client}`)
    givenTo.set(ask, [
      ...(givenTo.get(ask) ?? []),
      {
        client,
        answer,
        heard: result?.heard ?? 'unknown',
        code: result?.code ?? '',
        begun,
        over: result?.at ?? Infinity,
      },
    ])
  }
  const asks = new Set<string>()
  for (const { session, entries } of history.kept.sessions) {
    const answered = Map.groupBy(of(entries, 'input_answered'), ({ ask }) => ask)
    for (const { ask, ask_type: type, call, run } of of(entries, 'input_asked')) {
      asks.add(ask)
      const settled = answered.get(ask) ?? []
      const given = givenTo.get(ask) ?? []
      if (settled.length > 1)
        report('doubled', session, `the question ${ask} was settled ${settled.length} times`)
      const [one] = settled
      if (!one) continue // the run was cancelled, or the journal says that it has not ended
      judge(session, ask, one, given, entries, report)
      if (type === 'approval' && call !== undefined)
        judgeObeyed(
          {
            session,
            call,
            entries: entries.filter((entry) => entry.run === run),
            approved: one.answer['approved'] === true && one.void === undefined,
          },
          history,
          report,
        )
    }
  }
  for (const [ask, given] of givenTo) {
    const winners = given.filter((one) => one.heard === 'accepted')
    if (winners.length > 1)
      report(
        'disobeyed',
        undefined,
        `${winners.length} clients were told that theirs is the answer to ${ask}: ${winners.map(({ client, answer }) => `${client} ${JSON.stringify(answer)}`).join(', ')}`,
      )
    if (winners.length > 0 && !asks.has(ask))
      report('lost', undefined, `the question ${ask} was answered, and is in no journal`)
  }
}

interface Settled {
  readonly answer: JsonObject
  readonly void?: string
  readonly seq: number
  readonly run: string
}

function judge(
  session: string,
  ask: string,
  settled: Settled,
  given: readonly Given[],
  entries: readonly SequencedEntry[],
  report: Report,
): void {
  const isAborted = of(entries, 'run_ended').some(
    ({ run, reason }) => run === settled.run && reason === 'user_abort',
  )
  const winners = given.filter(({ heard }) => heard === 'accepted')
  if (settled.void !== undefined) {
    if (settled.void === 'expired')
      report('broken', session, `the question ${ask} expired, an hour before its time`)
    else if (!isAborted)
      report(
        'broken',
        session,
        `the question ${ask} is void (${settled.void}), and nobody had cancelled it`,
      )
    return
  }
  const later = given.find(({ client }) => client.startsWith(LATER))
  const first = given.filter(
    ({ client, over }) => !client.startsWith(LATER) && over <= (later?.begun ?? Infinity),
  )
  if (first.length > 0 && first.every(({ heard }) => heard === 'refused'))
    report(
      'disobeyed',
      session,
      `the question ${ask} was open, and everybody who answered was refused: ${first.map(({ client, code }) => `${client} ${code}`).join(', ')}`,
    )
  const obeyed = given.filter(({ answer }) => fits(answer, settled.answer))
  const [one] = obeyed
  if (!one)
    report(
      'disobeyed',
      session,
      `the answer to ${ask} is ${JSON.stringify(settled.answer)}, which nobody gave`,
    )
  else if (obeyed.every(({ heard }) => heard === 'refused'))
    report(
      'disobeyed',
      session,
      `the answer to ${ask} is that of ${one.client}, who was told ${one.code}: ${JSON.stringify(settled.answer)}`,
    )
  else if (winners.length > 0 && !obeyed.some(({ heard }) => heard === 'accepted'))
    report(
      'disobeyed',
      session,
      `the answer to ${ask} is that of ${one.client}, and ${winners.map(({ client }) => client).join(', ')} was told to have given it`,
    )
}

/** Everything that the client said stands in the journal's answer. */
const fits = ({ response, ...rest }: Answer, kept: JsonObject): boolean =>
  Object.entries(rest).every(([field, value]) => kept[field] === value) &&
  (response === undefined || JSON.stringify(kept).includes(JSON.stringify(response)))

interface Approval {
  readonly session: string
  readonly call: string
  readonly entries: readonly SequencedEntry[]
  readonly approved: boolean
}

/**
 * An approved call has run, or nobody knows; or it is said for sure that it did not: nothing may be
 * changed while the audit log is away, and a process that stood still for longer than its lease
 * sends nothing. One that was declined has not run.
 */
function judgeObeyed(
  { session, call, entries, approved }: Approval,
  history: History,
  report: Report,
): void {
  const reply = of(entries, 'model_reply')
    .flatMap(({ calls }) => calls)
    .find(({ id }) => id === call)
  const marker = /"marker":\s*"([^"]+)"/.exec(reply?.input ?? '')?.[1]
  if (marker === undefined) return
  const outcome = of(entries, 'tool_outcome').find((entry) => entry.call === call)
  const effects = effectsIn(history.kept.calls, marker)
  const isAborted = of(entries, 'run_ended').some(({ reason }) => reason === 'user_abort')
  if (!approved && (effects > 0 || outcome?.status !== 'error'))
    report(
      'disobeyed',
      session,
      `${marker} was declined, came to ${outcome?.status ?? 'nothing'} and took effect ${effects} times`,
    )
  const isSure =
    effects === 0 &&
    /AUDIT_UNAVAILABLE|was not sent: this process no longer holds the session/.test(
      JSON.stringify(outcome?.output ?? ''),
    )
  if (approved && outcome?.status === 'error' && !isAborted && !isSure)
    report(
      'disobeyed',
      session,
      `${marker} was approved, and did not run: ${JSON.stringify(outcome.output).slice(0, 200)}`,
    )
}
