import { type Failure, type ModelCall, modelErrorOf, type ModelErrorClass } from '@amodal/sdk'
import { HISTORY_PARTS, type HistoryPart, holds, marked } from './dropped-parts.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { stream } from './model-stream.ts'
import type { Streamed } from './reply-reader.ts'

/** The call that was made last, and its stream. */
interface RepairedCall {
  readonly call: ModelCall
  readonly streamed: Streamed
}

/** Words in a provider's error that point to each part of the history. */
const WORDS_OF_PART: Readonly<Record<HistoryPart, RegExp>> = {
  thoughts: /reasoning|thinking|thought|signature|encrypted|\brs_/i,
  calls: /tool|function/i,
  files: /image|file|media|document|pdf|audio|video|vision|multi-?modal/i,
}
/** Error classes that do not depend on the parts of the history. */
const UNRELATED_CLASSES: ReadonlySet<ModelErrorClass> = new Set([
  'overflow',
  'quota',
  'billing',
  'rate_limit',
  'content',
])

/**
 * Makes a call. If its provider refuses the content of the history, the call is repeated without
 * those parts, one after another and those the error names first: otherwise every later call of the
 * session would be refused too.
 */
export async function streamRepaired(call: ModelCall, turn: LoopTurn): Promise<RepairedCall> {
  const streamed = await stream(call, turn)
  const { failure, result } = streamed
  const isBegun = result.text !== '' || result.reasoning !== ''
  if (!failure || isBegun || !isRefusal(failure)) return { call, streamed }
  const dropped: HistoryPart[] = []
  for (const part of partsByLikelihood(failure, call)) {
    if (turn.stopped !== undefined) break
    dropped.push(part)
    const repaired = { ...call, messages: marked(call.messages, dropped) }
    const next = await stream(repaired, turn)
    if (!next.failure)
      return { call: repaired, streamed: { ...next, dropped: { parts: dropped, failure } } }
    if (!isRefusal(next.failure)) return { call: repaired, streamed: next }
  }
  return { call, streamed }
}

/** The parts in the history; those that the error names come first. */
function partsByLikelihood({ message }: Failure, { messages }: ModelCall): readonly HistoryPart[] {
  const present = HISTORY_PARTS.filter((part) => messages.some((one) => holds(one, part)))
  const isNamed = (part: HistoryPart): boolean => WORDS_OF_PART[part].test(message)
  return [...present.filter(isNamed), ...present.filter((part) => !isNamed(part))]
}

/** Whether the provider refused the content of the request. */
function isRefusal(failure: Failure): boolean {
  const { status, class: kind } = modelErrorOf(failure)
  if (failure.code !== 'MODEL_FAILED' || UNRELATED_CLASSES.has(kind)) return false
  if (status === 400 || status === 422)
    return kind !== 'auth' || WORDS_OF_PART.thoughts.test(failure.message)
  // The request refers to a thought that the provider no longer stores.
  return status === 404 && WORDS_OF_PART.thoughts.test(failure.message)
}
