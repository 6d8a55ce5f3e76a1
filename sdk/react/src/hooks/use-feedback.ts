import { useCallback } from 'react'
import type { FeedbackInput, FeedbackOffer, Item, Opinion } from '@amodal/sdk/client'
import { useConnection } from '../provider.tsx'
import { useReading } from './use-reading.ts'

type EndItem = Extract<Item, { readonly kind: 'end' }>

export interface Feedback {
  /** The reasons that people are offered; `undefined` where the server takes no feedback. */
  readonly offer: FeedbackOffer | undefined
  /** What the person thinks of answers of the session. */
  readonly opinions: readonly Opinion[]
  readonly loading: boolean
  readonly error: Error | undefined
  /**
   * Rates an answer; a second rating replaces the first, `null` takes it back. Rejects with a
   * `ClientError`.
   *
   * @param answer the `end` of its turn; default: the last answer of the session
   */
  readonly rate: (
    rating: FeedbackInput['rating'],
    answer?: Pick<EndItem, 'seq'>,
    more?: Pick<FeedbackInput, 'categories' | 'comment' | 'tags'>,
  ) => Promise<void>
}

const NONE: readonly Opinion[] = []

/**
 * What the person thinks of the answers of a session.
 *
 * @param session `undefined`: there is none yet
 * @example
 * const { rate } = useFeedback(session)
 * const onGood = () => rate('up')
 */
export function useFeedback(session: string | undefined): Feedback {
  const { client } = useConnection()
  const offer = useReading<FeedbackOffer>('feedback offer', (connection) => ({
    async read(emit, signal) {
      emit(await connection.client.feedbackOffer({ signal }))
    },
  }))
  const { data, loading, error, refresh } = useReading<readonly Opinion[]>(
    session === undefined ? undefined : `opinions ${session}`,
    (connection) => ({
      async read(emit, signal) {
        emit(await connection.client.opinions(session ?? '', { signal }))
      },
    }),
  )
  const rate: Feedback['rate'] = useCallback(
    async (rating, answer, more = {}) => {
      if (session === undefined) throw new Error('AMODAL_NO_SESSION: there is no session yet')
      await client.feedback({ session, rating, ...(answer && { message: answer.seq }), ...more })
      refresh()
    },
    [client, session, refresh],
  )
  return { offer: offer.data, opinions: data ?? NONE, loading, error, rate }
}
