import type { FeedbackInput, FeedbackOffer, Opinion } from '@amodal/sdk/client'
import { useCallback, useEffect, useState } from 'react'
import type { Server } from './server.ts'
import type { Item } from './timeline.ts'

/** A turn that answered something, by the entries that it has: behind `after`, up to `last`. */
export interface AnsweredTurn {
  readonly after: number
  readonly last: number
}

export type NewOpinion = Omit<FeedbackInput, 'session' | 'message'>

export interface Opinions {
  readonly offer: FeedbackOffer
  of(turn: AnsweredTurn): Opinion | undefined
  rate(turn: AnsweredTurn, opinion: NewOpinion): Promise<void>
}

/** Turns in which the agent said or showed something, by the key of their end. */
export function answeredTurns(items: readonly Item[]): ReadonlyMap<string, AnsweredTurn> {
  const turns = new Map<string, AnsweredTurn>()
  let after = -1
  let isAnswered = false
  for (const item of items) {
    if (item.kind === 'text' || item.kind === 'widget') isAnswered = true
    if (item.kind !== 'end') continue
    if (isAnswered) turns.set(item.key, { after, last: item.seq })
    after = item.seq
    isAnswered = false
  }
  return turns
}

/**
 * What the person thinks of the answers of a session.
 *
 * @returns `undefined` where the server takes no feedback, or none of this person
 */
export function useOpinions(server: Server, session: string | undefined): Opinions | undefined {
  const [offer, setOffer] = useState<FeedbackOffer>()
  const [opinions, setOpinions] = useState<readonly Opinion[]>([])
  useEffect(() => {
    let isOver = false
    server.feedbackOffer().then(
      (offered) => {
        if (!isOver) setOffer(offered)
      },
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [server])
  useEffect(() => {
    if (session === undefined || !offer) return
    let isOver = false
    server.opinions(session).then(
      (stored) => {
        // what was said here meanwhile is newer
        if (!isOver) setOpinions((newer) => merged(stored, newer))
      },
      () => undefined, // thumbs work without
    )
    return () => {
      isOver = true
    }
  }, [server, session, offer])
  const rate = useCallback(
    async ({ last }: AnsweredTurn, opinion: NewOpinion): Promise<void> => {
      if (session === undefined) return
      const { message_id, rating } = await server.feedback({ session, message: last, ...opinion })
      setOpinions((all) => {
        const others = all.filter((one) => one.message_id !== message_id)
        if (rating === null) return others
        const { categories = [], comment = null } = opinion
        return [...others, { message_id, rating, categories, comment }]
      })
    },
    [server, session],
  )
  if (!offer || session === undefined) return undefined
  return {
    offer,
    rate,
    of: ({ after, last }) =>
      opinions.find(({ message_id: id }) => Number(id) > after && Number(id) <= last),
  }
}

const merged = (stored: readonly Opinion[], newer: readonly Opinion[]): readonly Opinion[] => [
  ...stored.filter(({ message_id: id }) => !newer.some((one) => one.message_id === id)),
  ...newer,
]
