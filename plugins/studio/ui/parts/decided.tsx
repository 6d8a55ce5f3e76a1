import type { ReactNode } from 'react'
import type { Settled } from '../model/timeline.ts'

/** Whose decision it was, and when. */
export function Decided({
  settled,
  nameOf,
}: {
  readonly settled: Settled | undefined
  readonly nameOf: (by: string) => string
}): ReactNode {
  if (!settled) return <p className="muted">Answered.</p>
  const { by, at, feedback, answer, scope } = settled
  return (
    <>
      {answer !== undefined && <p className="given">{answer}</p>}
      {feedback !== undefined && <blockquote>{feedback}</blockquote>}
      {(by !== undefined || at !== undefined) && (
        <p className="muted">
          {by !== undefined && `by ${nameOf(by)}`}
          {by !== undefined && at !== undefined && ', '}
          {at !== undefined && <time dateTime={at}>{moment(at)}</time>}
          {scope === 'conversation' && ', for this conversation'}
        </p>
      )}
    </>
  )
}

export const moment = (iso: string): string =>
  new Date(iso).toLocaleString([], {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
