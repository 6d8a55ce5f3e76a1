import { slot, type JsonObject, type RouteContext, type SessionKind } from '@amodal/sdk'

/** Conversations over HTTP, for a plugin with sessions of a kind of its own. */
export interface ChatTurns {
  /**
   * Answers a request to send a message as `POST /chat` does.
   *
   * @param sessionState joins that of the session
   * @param kind of a session that the message begins; default: a chat
   * @example
   * const response = await scope.get(ChatTurns).send(context, request, { mine: { kind: 'draft' } })
   */
  send(
    context: RouteContext,
    request: Request,
    sessionState: JsonObject,
    kind?: SessionKind,
  ): Promise<Response>
}
export const ChatTurns = slot.kernel<ChatTurns>('chat-turns')
