import { setTimeout as sleep } from 'node:timers/promises'
import { LOCAL_HEADERS } from './control.ts'
import type { Answer, Heard, Recorder } from './history.ts'
import type { OpenAsk } from './person.ts'
import type { Random } from '../support/random.ts'

/** ms for one request, and for an answer until somebody has taken it. */
const REQUEST_MS = 5_000
const PATIENCE_MS = 90_000

interface Outcome {
  readonly heard: Heard
  readonly status: number
  readonly text: string
}

/**
 * Sends a request until somebody says yes or no. A no is sure only where no try before it may have
 * arrived.
 *
 * @param request one try
 */
export async function insist(
  request: (signal: AbortSignal) => Promise<Response>,
  patienceMs = PATIENCE_MS,
): Promise<Outcome> {
  const until = performance.now() + patienceMs
  let isSure = true
  for (;;) {
    const response = await request(AbortSignal.timeout(REQUEST_MS)).catch(() => undefined)
    if (response && response.status < 500 && response.status !== 429) {
      const text = await response.text()
      const heard = response.ok ? 'accepted' : isSure ? 'refused' : 'unknown'
      return { heard, status: response.status, text }
    }
    isSure = false
    if (performance.now() > until)
      return {
        heard: 'unknown',
        status: response?.status ?? 0,
        text: (await response?.text()) ?? 'nobody answered',
      }
    await sleep(100)
  }
}

/** Several clients who answer one question at the same time, none of them like another. */
export async function contest(
  { session, id, type }: OpenAsk,
  random: Random,
  recorder: Recorder,
  network: typeof fetch,
): Promise<void> {
  const clients = random.within(1, 4)
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const answer = answerOf(type, index, random)
      const wait = random.pick([0, 0, 5, 50, 500])
      const client = `client ${index + 1}`
      await sleep(wait)
      await give({ session, id, answer, client }, recorder, network)
    }),
  )
}

interface Given {
  readonly session: string
  readonly id: string
  readonly answer: Answer
  readonly client: string
}

/** One answer, until it is known what became of it or nobody is to be found. */
export async function give(
  { session, id, answer, client }: Given,
  recorder: Recorder,
  network: typeof fetch,
): Promise<void> {
  recorder.add({ kind: 'answering', session, ask: id, client, answer })
  const body = JSON.stringify({ session_id: session, id, ...answer })
  const { heard, status, text } = await insist((signal) =>
    network('http://chaos/ask-user-response', {
      method: 'POST',
      headers: LOCAL_HEADERS,
      body,
      signal,
    }),
  )
  recorder.add({
    kind: 'answered',
    session,
    ask: id,
    client,
    heard,
    code: `${status} ${text.slice(0, 200)}`,
  })
}

function answerOf(type: OpenAsk['type'], index: number, random: Random): Answer {
  const yes = random.chance(0.6)
  switch (type) {
    case 'approval':
      return { approved: yes, feedback: `client ${index + 1} says ${yes ? 'yes' : 'no'}` }
    case 'question':
      return { response: `${yes ? 'yes' : 'no'} from ${index + 1}` }
    case 'continue_or_finish':
      return yes || index > 0
        ? { action: 'continue', additional_turns: 10 + index }
        : { action: 'finish' }
    default:
      return type satisfies never
  }
}
