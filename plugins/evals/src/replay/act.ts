import {
  isObject,
  trySync,
  type CallId,
  type DoneReason,
  type InputAsked,
  type Json,
  type SequencedEntry,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { ofKind } from './recording.ts'

/** What an agent does at one place of a conversation. */
export type Act =
  | { readonly does: 'call'; readonly tool: string; readonly args: Json; readonly status: string }
  /** The agent has no tool of this name. */
  | { readonly does: 'lack'; readonly tool: string; readonly args: Json }
  /** `refuse`: the call does not reach the tool, as where a guard denies it; `fail`: its outcome. */
  | {
      readonly does: 'refuse' | 'fail'
      readonly tool: string
      readonly args: Json
      readonly code: string
      readonly message: string
    }
  | { readonly does: 'ask'; readonly type: InputAsked['ask_type']; readonly tool?: string }
  | { readonly does: 'dispatch'; readonly agent: string; readonly prompt: string }
  | { readonly does: 'text'; readonly text: string }
  | { readonly does: 'end'; readonly reason: DoneReason; readonly message?: string }
  | { readonly does: 'other'; readonly kind: string }
  | { readonly does: 'nothing' }

/**
 * What an entry of a journal says that the agent did.
 *
 * @param entries the journal, for the parts of a call
 * @param entry `undefined`: the journal ends before it
 * @param isRefused whether a call without a result did not reach its tool, where that is known
 */
export function actOf(
  entries: readonly SequencedEntry[],
  entry: SequencedEntry | undefined,
  isRefused: (call: CallId) => boolean = () => false,
): Act {
  if (!entry) return { does: 'nothing' }
  switch (entry.kind) {
    case 'tool_intent':
    case 'tool_outcome':
      return callAct(entries, entry, isRefused)
    case 'input_asked':
      return {
        does: 'ask',
        type: entry.ask_type,
        ...(entry.name !== undefined && { tool: entry.name }),
      }
    case 'child_opened':
      return { does: 'dispatch', agent: entry.agent, prompt: entry.prompt }
    case 'model_reply':
      return { does: 'text', text: entry.text }
    case 'run_ended':
      return {
        does: 'end',
        reason: entry.reason,
        ...(entry.error && { message: `${entry.error.code}: ${entry.error.message}` }),
      }
    default:
      return { does: 'other', kind: entry.kind }
  }
}

function callAct(
  entries: readonly SequencedEntry[],
  { call, name }: { readonly call: CallId; readonly name: string },
  isRefused: (call: CallId) => boolean,
): Act {
  const intent = ofKind(entries, 'tool_intent').find((one) => one.call === call)
  const outcome = ofKind(entries, 'tool_outcome').find((one) => one.call === call)
  const tool = intent?.name ?? name
  const args = intent?.args ?? repliedArgs(entries, call)
  const code = outcome?.code
  if (intent || !outcome || outcome.status !== 'error' || code === undefined)
    return { does: 'call', tool, args, status: outcome?.status ?? 'unknown' }
  if (code === 'TOOL_UNKNOWN') return { does: 'lack', tool, args }
  const { output } = outcome
  const message = typeof output === 'string' ? output : JSON.stringify(output)
  return { does: isRefused(call) ? 'refuse' : 'fail', tool, args, code, message }
}

/** The arguments as the model wrote them. */
function repliedArgs(entries: readonly SequencedEntry[], call: CallId): Json {
  const reply = ofKind(entries, 'model_reply')
    .flatMap(({ calls }) => calls)
    .find(({ id }) => id === call)
  if (!reply) return {}
  const read = trySync(
    () => parseExact(reply.input) as Json, // a reply's input is JSON
    () => undefined,
  )
  return read.ok && isObject(read.value) ? read.value : reply.input
}
