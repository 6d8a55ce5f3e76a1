import type { Message } from '@amodal/sdk'

/** Tokens: of the newest messages, and of the newest step alone. */
export interface Room {
  readonly newest: number
  readonly step: number
}

/**
 * Where a conversation may be cut: the first of the newest messages that fit, so that no call is
 * torn from its results. What a person has just said stays whatever its size; of what tools have
 * just answered as much as `step`.
 *
 * @param tokensFrom of the messages from an index on
 * @param least messages at the beginning that are a summary already
 * @returns the index of the first message that stays; `undefined` where nothing can go
 */
export function boundaryIn(
  messages: readonly Message[],
  tokensFrom: (at: number) => number,
  room: Room,
  least: number,
): number | undefined {
  let first = unseenFrom(messages)
  if (messages[first]?.role !== 'user' && tokensFrom(first) > room.step) first = messages.length
  for (let at = first - 1; at > least && tokensFrom(at) <= room.newest; at--) {
    if (messages[at]?.role !== 'tool') first = at
  }
  return first > least ? first : undefined
}

/**
 * The beginning of what the model has not answered: a person's message, or the calls that tools
 * have answered.
 */
function unseenFrom(messages: readonly Message[]): number {
  const last = messages.length - 1
  return messages[last]?.role === 'tool'
    ? messages.findLastIndex(({ role }) => role === 'assistant')
    : last
}
