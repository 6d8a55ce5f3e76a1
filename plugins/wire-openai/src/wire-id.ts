import { askId, isId, sessionId, type AskId, type SessionId } from '@amodal/sdk'

/**
 * Where a response begins: with a message, or with the answers to what its run had waited for.
 * Everything that is needed to find it again stands in its id, so that no table has to.
 */
export interface ResponsePlace {
  readonly session: SessionId
  readonly from:
    | { readonly kind: 'message'; readonly key: string }
    | { readonly kind: 'answer'; readonly ask: AskId }
}

const RESPONSE = /^resp_([ma])([0-9A-Za-z]{16,40})_(.+)$/
const CALL = /^call_([0-9a-f]{32})_(.+)$/

/** An id of a question without its hyphens. */
const bare = (ask: string): string => ask.slice('ask_'.length).replaceAll('-', '')
const asAsk = (hex: string): AskId =>
  askId(
    `ask_${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')}`,
  )

export const responseId = ({ session, from }: ResponsePlace): string =>
  `resp_${placeOf(from)}_${session}`

export const placeOf = (from: ResponsePlace['from']): string =>
  from.kind === 'message' ? `m${from.key}` : `a${bare(from.ask)}`

export function readResponseId(id: string): ResponsePlace | undefined {
  const [, kind, key = '', session = ''] = RESPONSE.exec(id) ?? []
  if (kind === undefined || !isId(session)) return undefined
  if (kind === 'm') return { session: sessionId(session), from: { kind: 'message', key } }
  return key.length === 32
    ? { session: sessionId(session), from: { kind: 'answer', ask: asAsk(key) } }
    : undefined
}

/** The id of a call that waits for the client: results that come back name their session by it. */
export const clientCallId = (session: SessionId, ask: AskId): string =>
  `call_${bare(ask)}_${session}`

export function readCallId(
  id: string,
): { readonly session: SessionId; readonly ask: AskId } | undefined {
  const [, hex, session = ''] = CALL.exec(id) ?? []
  return hex === undefined || !isId(session)
    ? undefined
    : { session: sessionId(session), ask: asAsk(hex) }
}

const CONVERSATION = 'conv_'
export const conversationId = (session: SessionId): string => `${CONVERSATION}${session}`

export function readConversationId(id: string): SessionId | undefined {
  const session = id.slice(CONVERSATION.length)
  return id.startsWith(CONVERSATION) && isId(session) ? sessionId(session) : undefined
}
