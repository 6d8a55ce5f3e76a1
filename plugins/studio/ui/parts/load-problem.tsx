import type { ReactNode } from 'react'
import { STRINGS } from '../strings.ts'

/** Why something could not be read, with another attempt; nothing where it was. */
export const LoadProblem = ({
  problem,
  onRetry,
}: {
  readonly problem: string | undefined
  readonly onRetry: () => void
}): ReactNode =>
  problem !== undefined && (
    <p className="note error" role="alert">
      {problem}{' '}
      <button type="button" className="link" onClick={onRetry}>
        {STRINGS.retry}
      </button>
    </p>
  )
