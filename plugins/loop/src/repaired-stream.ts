import { type Failure, type ModelCall, modelErrorOf, type ModelErrorClass } from '@amodal/sdk'
import { HISTORY_PARTS, type HistoryPart, holds, marked } from './dropped-parts.ts'
import type { LoopTurn } from './loop-turn.ts'
import { stream } from './model-stream.ts'
import type { Streamed } from './reply-reader.ts'

/** A call as it was made in the end, and what came of it. */
interface RepairedCall {
  readonly call: ModelCall
  readonly streamed: Streamed
}

/** What may be meant where a provider says what it refuses. */
const WORDS: Readonly<Record<HistoryPart, RegExp>> = {
  thoughts: /reasoning|thinking|thought|signature|encrypted|\brs_/i,
  calls: /tool|function/i,
  files: /image|file|media|document|pdf|audio|video|vision|multi-?modal/i,
}
/** Refused for another reason, by whatever is in the history. */
const ELSEWHERE: ReadonlySet<ModelErrorClass> = new Set([
  'overflow',
  'quota',
  'billing',
  'rate_limit',
  'content',
])

/**
 * Makes a call. Where its provider refuses what is in the history, it is made again without that,
 * part by part: a history that is refused once is refused for ever, and the session with it. What
 * the provider names is left out first.
 */
export async function streamRepaired(call: ModelCall, turn: LoopTurn): Promise<RepairedCall> {
  const streamed = await stream(call, turn)
  const { failure, result } = streamed
  const isBegun = result.text !== '' || result.reasoning !== ''
  if (!failure || isBegun || !isRefusal(failure)) return { call, streamed }
  const dropped: HistoryPart[] = []
  for (const part of suspects(failure, call)) {
    if (turn.stopped !== undefined) break
    dropped.push(part)
    const mended = { ...call, messages: marked(call.messages, dropped) }
    const next = await stream(mended, turn)
    if (!next.failure)
      return { call: mended, streamed: { ...next, dropped: { parts: dropped, failure } } }
    if (!isRefusal(next.failure)) return { call: mended, streamed: next }
  }
  return { call, streamed }
}

/** Parts that are in the history, those that the provider names before others. */
function suspects({ message }: Failure, { messages }: ModelCall): readonly HistoryPart[] {
  const present = HISTORY_PARTS.filter((part) => messages.some((one) => holds(one, part)))
  const isNamed = (part: HistoryPart): boolean => WORDS[part].test(message)
  return [...present.filter(isNamed), ...present.filter((part) => !isNamed(part))]
}

/** Whether the provider has refused the request for what is in it. */
function isRefusal(failure: Failure): boolean {
  const { status, class: kind } = modelErrorOf(failure)
  if (failure.code !== 'MODEL_FAILED' || ELSEWHERE.has(kind)) return false
  if (status === 400 || status === 422)
    return kind !== 'auth' || WORDS.thoughts.test(failure.message)
  // A reference to a thought that is not there any more.
  return status === 404 && WORDS.thoughts.test(failure.message)
}
