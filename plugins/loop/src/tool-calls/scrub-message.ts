import {
  err,
  type Failure,
  failure,
  isList,
  isObject,
  type Json,
  messageOf,
  ok,
  type PreparedCall,
  type QuestionDraft,
  type Result,
  type ScrubbedMessage,
  Scrubber,
  type TargetMessage,
} from '@amodal/sdk'
import { withDeadline } from '@amodal/sdk/loop'
import type { LoopTurn } from '../run/loop-turn.ts'

/** The time limit of scrubbing one result or message, ms. */
export const SCRUB_MS = 5_000

/**
 * Scrubs a message that a target sends before its result, then runs the taps of `tool.result` on it
 * as a question. A step that fails withholds the message.
 */
export async function scrubMessage(
  message: TargetMessage,
  call: PreparedCall,
  turn: LoopTurn,
): Promise<Result<ScrubbedMessage, Failure>> {
  try {
    const scrubber = turn.parts.generation.scope.find(Scrubber)
    const scrubbed = scrubber
      ? await withDeadline(() => scrubber.scrubMessage(message, call, turn), SCRUB_MS)
      : ok({ message, redacted: [] })
    if (!scrubbed.ok) return scrubbed
    // The redacted values are sealed with the outcome of the outermost call.
    turn.addRedacted(outermost(call).id, scrubbed.value.redacted)
    return ok(await afterTaps(scrubbed.value.message, call, turn))
  } catch (cause) {
    turn.log.error('message_withheld', { tool: call.tool.name, error: messageOf(cause) })
    return err(
      failure(
        'PLUGIN_FAILED',
        `What "${call.tool.name}" was asked by its target was withheld: ${messageOf(cause)}`,
      ),
    )
  }
}

const outermost = (call: PreparedCall): PreparedCall => (call.outer ? outermost(call.outer) : call)

async function afterTaps(
  { unread, ...message }: ScrubbedMessage,
  call: PreparedCall,
  turn: LoopTurn,
): Promise<ScrubbedMessage> {
  const { result } = turn.hooks.tool
  const unreadPart = unread ? { unread } : {}
  if (!result.tapped) return { ...message, ...unreadPart }
  const question: QuestionDraft = { type: 'question', schema: {}, context: { ...message } }
  const clean = await result.call({ status: 'asks', question }, call, turn)
  if (!clean.ok) throw clean.error
  if (clean.value.status !== 'asks') throw new Error('a tap of tool.result returned no question')
  return { ...messageIn(clean.value.question.context), ...unreadPart }
}

function messageIn({ text, labels, data }: Readonly<Record<string, Json>>): TargetMessage {
  if (typeof text !== 'string' || !isList(labels) || !isObject(data))
    throw new Error('a tap of tool.result changed the form of the question')
  return { text, labels: labels.map(String), data }
}
