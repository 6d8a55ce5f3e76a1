import { redact, type Json, type JsonObject } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { AskThing, CallThing } from '../thing.ts'
import type { DetailParts } from './detail-parts.ts'
import { shownValue } from './shown-value.ts'

/** Fields of an answer that other routes show, too. */
const DECISION = ['approved', 'feedback', 'scope', 'action', 'additional_turns'] as const

/** A question with its context, and the answer to it. */
export function askDetail(thing: AskThing, { full, call }: DetailParts): JsonObject {
  const { entry, answer, of } = thing
  const { schema, context, questions } = entry
  const shown = answerOf(thing, call)
  return {
    context: shownValue(redact(context), full),
    schema: shownValue(schema, full),
    ...(questions && { questions: parseExact(JSON.stringify(questions)) as Json }), // made of JSON
    ...(shown && { answer: shownValue(shown, full) }),
    ...(answer?.void !== undefined && { void: answer.void }),
    ...(answer && !shown && { not_shown: ['answer'] }),
    rows: of === undefined ? [] : [of],
  }
}

/**
 * The decision of a person. The words of an answer are shown where they are the result of the call
 * that everybody may see; what a person gave to a target, or to a private tool, is not.
 */
function answerOf(
  { entry, answer }: AskThing,
  call: CallThing | undefined,
): JsonObject | undefined {
  if (!answer) return undefined
  const { answer: values } = answer
  if (entry.ask_type === 'question') {
    const result = call?.outcome?.output
    const isResult = result === values['response'] || result === JSON.stringify(values)
    return isResult && !call?.outcome?.private ? values : undefined
  }
  return Object.fromEntries(
    DECISION.flatMap((field) => {
      const value = values[field]
      return value === undefined ? [] : [[field, value] as const]
    }),
  )
}
