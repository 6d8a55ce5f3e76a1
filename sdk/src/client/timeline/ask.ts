import type { AskedQuestion, Json, JsonObject } from '@amodal/kernel'
import type { ClientEvent, PendingInput } from '../types.ts'
import { plain, type Ask } from './item.ts'

type Confirmation = Extract<ClientEvent, { readonly type: 'confirmation_required' }>

/** What an event of a stream requires of a person. */
export function askOfEvent(event: Confirmation): Ask {
  const { id, pending_input_context: context } = event
  if (event.pending_input_type === 'continue_or_finish') return limitAsk(id, context, event.reason)
  return {
    id,
    kind: 'approval',
    tool: event.tool_name ?? event.endpoint,
    target: targetOf(event.connection_name, event.method, event.endpoint),
    reason: event.reason,
    params: event.params,
    details: detailsOf(context),
    escalated: event.escalated,
    grant: grantIn(context),
    expires: event.expires_at,
  }
}

/**
 * What a session waits for, of its details instead of its stream.
 *
 * @param tool of the call that waits, where its name is known
 */
export function askOfPending(pending: PendingInput, tool = ''): Ask {
  const { id, pending_input_context: context, expires_at: expires } = pending
  switch (pending.pending_input_type) {
    case 'continue_or_finish':
      return limitAsk(id, context, '')
    case 'question':
      return { id, kind: 'question', questions: questionsIn(id, context) }
    case 'approval':
      return {
        id,
        kind: 'approval',
        ...approvalFields(context, tool),
        params: context['params'] ?? {},
        grant: grantIn(context),
        expires,
      }
    default:
      return pending.pending_input_type satisfies never
  }
}

/** The fields of an approval that are only in its context. */
export const approvalFields = (
  context: JsonObject,
  tool: string,
): Pick<
  Extract<Ask, { readonly kind: 'approval' }>,
  'tool' | 'target' | 'reason' | 'details' | 'escalated'
> => ({
  tool: tool === '' ? plain(context['tool'] ?? context['endpoint'] ?? '') : tool,
  target: targetOf(context['connection_name'], context['method'], context['endpoint']),
  reason: plain(context['reason'] ?? ''),
  details: detailsOf(context),
  escalated: context['escalated'] === true,
})

const limitAsk = (id: string, context: JsonObject, reason: string): Ask => ({
  id,
  kind: 'limit',
  reason: plain(context['reason'] ?? reason),
  limit: plain(context['limit'] ?? ''),
  used: plain(context['used'] ?? ''),
})

function questionsIn(id: string, { question, questions }: JsonObject): readonly AskedQuestion[] {
  // written by the server, which has checked them
  if (Array.isArray(questions)) return questions as readonly AskedQuestion[]
  return [{ id, text: plain(question ?? '') }]
}

/** What the guards offer to grant for the conversation. */
export function grantIn({ grant }: JsonObject): string | undefined {
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant)) return undefined
  const { endpoint = null, tool = null } = grant as JsonObject // written by a guard
  return plain(endpoint ?? tool)
}

/** Where a call goes, as far as it names that. */
const targetOf = (
  connection: Json | undefined,
  method: Json | undefined,
  endpoint: Json | undefined,
): string =>
  [connection, method === 'CALL' ? '' : method, endpoint]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join(' ')

/**
 * Fields of the context of an approval that have a place of their own on its card, or that mean
 * nothing to a person.
 */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'endpoint',
  'method',
  'connection_name',
  'tool',
  'tool_id',
  'tool_use_id',
  'call',
  'params',
  'reason',
  'tier',
  'escalated',
  'grant',
])
const detailsOf = (context: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(context).filter(([name]) => !SHOWN_ELSEWHERE.has(name)))
