import { useState, type ReactNode } from 'react'
import { useAsk, type AskOutcome } from '../hooks/use-ask.ts'
import { Markdown } from './markdown.tsx'

export interface AmodalActionProps {
  /** What the agent is asked on a click. */
  readonly prompt: string
  /** A skill that it is to use. */
  readonly skill?: string
  readonly children?: ReactNode
  readonly className?: string
  readonly disabled?: boolean
  /** Shows the reply below the button. Default: yes. */
  readonly showReply?: boolean
  /** Called once the turn is done. */
  readonly onDone?: (outcome: AskOutcome) => void
  readonly onError?: (error: Error) => void
}

/**
 * A button that asks the agent for something, in a session of its own.
 *
 * @example
 * <AmodalAction prompt="Sum up the open incidents">Get summary</AmodalAction>
 */
export function AmodalAction(props: AmodalActionProps): ReactNode {
  const { prompt, skill, children, className, disabled = false, showReply = true } = props
  const { ask, loading, text, error, isWaiting } = useAsk()
  const [isAsked, setAsked] = useState(false)
  const run = (): void => {
    setAsked(true)
    ask(skill === undefined ? prompt : `${prompt}\n\nUse the skill "${skill}".`).then(
      (outcome) => props.onDone?.(outcome),
      (cause: unknown) => {
        if (cause instanceof Error) props.onError?.(cause)
      },
    )
  }
  return (
    <>
      <button
        type="button"
        className={className ?? 'pcw-action'}
        disabled={disabled || loading}
        aria-busy={loading}
        onClick={run}
      >
        {children ?? prompt}
      </button>
      {isAsked && showReply && (
        <div className="pcw-reply" role="status">
          {isWaiting && <p>It waits for an approval.</p>}
          {error ? (
            <p className="pcw-note" data-tone="error">
              {error.message}
            </p>
          ) : (
            <Markdown text={text} />
          )}
        </div>
      )}
    </>
  )
}
