import type { SequencedEntry } from '@amodal/kernel'
import { Transcript, type ClientEvent } from '@amodal/sdk/client'
import { of, seenOf, sessionsByKey, type History, type Report } from './history.ts'

/** A reading as it counts in the end, what it had from another one included. */
interface Reading {
  readonly reader: string
  readonly key: string
  readonly all: readonly ClientEvent[]
}

/**
 * What every reader was told of a turn, with all that was taken back, is what the journal says of
 * it: no more, no less, once.
 */
export function checkStreams(history: History, report: Report): void {
  const sessions = sessionsByKey(history)
  const kept = new Map(history.kept.sessions.map((one) => [one.session, one.entries]))
  for (const { reader, key, all } of readingsOf(history)) {
    const session = sessions.get(key)
    const entries = kept.get(session ?? '') ?? []
    const run = of(entries, 'user_message').find((entry) => entry.key === key)?.run
    if (run === undefined) continue // a lost message is reported where messages are checked
    compare(
      `${reader} of ${key}`,
      session,
      entries.filter((entry) => entry.run === run),
      all,
      report,
    )
  }
}

function readingsOf(history: History): readonly Reading[] {
  const heard = Map.groupBy(seenOf(history, 'event'), ({ reader }) => reader)
  const events = (reader: string): readonly ClientEvent[] =>
    (heard.get(reader) ?? []).map(({ event }) => event)
  return seenOf(history, 'reading').map(({ reader, key, from }) => ({
    reader,
    key,
    all: untilSetAside([
      ...(from ? events(from.reader).slice(0, from.events) : []),
      ...events(reader),
    ]),
  }))
}

/**
 * A run that was set aside ends its stream with an error and `done`, and is not over: a person
 * continues or ends it later.
 */
const untilSetAside = (events: readonly ClientEvent[]): readonly ClientEvent[] =>
  events.filter((event, at) => {
    const before = events[at - 1]
    const isSetAside = before?.type === 'error' && before.code === 'RUN_SET_ASIDE'
    return !(event.type === 'done' && isSetAside)
  })

function compare(
  who: string,
  session: string | undefined,
  run: readonly SequencedEntry[],
  all: readonly ClientEvent[],
  report: Report,
): void {
  const say = (text: string): void => report('mistold', session, `${who} ${text}`)
  const transcript = new Transcript()
  for (const event of all) transcript.push(event)
  const { text, events } = transcript
  const replies = of(run, 'model_reply')
  const outcomes = new Map(
    [...of(run, 'tool_outcome'), ...of(run, 'child_closed')].map(({ call, status }) => [
      call as string,
      status === 'success' ? 'success' : 'error',
    ]),
  )
  const calls = replies.flatMap((reply) => reply.calls).map(({ id }) => id as string)
  const asks = of(run, 'input_asked').map(({ ask }) => ask as string)

  // What states a fact was committed before: no later one may say otherwise, whatever became of its
  // reader.
  for (const event of all) {
    if (event.type === 'tool_call_result' && outcomes.get(event.tool_id) !== event.status)
      say(
        `was told that ${event.tool_id} came to ${event.status}, and it is ${outcomes.get(event.tool_id) ?? 'not there'}`,
      )
    if (event.type === 'confirmation_required' && !asks.includes(event.id))
      say(`was told of a question that was never asked: ${event.id}`)
    if (event.type === 'done' && event.reason !== of(run, 'run_ended')[0]?.reason)
      say(
        `was told that it ended with ${event.reason}, and it is ${of(run, 'run_ended')[0]?.reason ?? 'nothing'}`,
      )
  }
  const done = events.filter(({ type }) => type === 'done').length
  if (done > 1) say(`was told ${done} times that it is done`)
  if (done === 0) return // it left before the end
  const written = replies.map((reply) => reply.text).join('')
  if (text !== written)
    say(`read ${JSON.stringify(text)} and the journal says ${JSON.stringify(written)}`)
  const starts = events.flatMap((event) =>
    event.type === 'tool_call_start' ? [event.tool_id] : [],
  )
  const results = events.flatMap((event) =>
    event.type === 'tool_call_result' ? [event.tool_id] : [],
  )
  const asked = events.flatMap((event) =>
    event.type === 'confirmation_required'
      ? [event.id]
      : event.type === 'ask_user'
        ? [event.ask_id]
        : [],
  )
  for (const [what, told, expected] of [
    ['starts', starts, calls],
    ['results', results, calls],
    ['questions', asked, asks],
  ] as const) {
    if ([...told].sort().join() !== [...expected].sort().join())
      say(
        `was told the ${what} ${told.join(', ') || 'of nothing'}, and they are ${expected.join(', ') || 'none'}`,
      )
  }
}
