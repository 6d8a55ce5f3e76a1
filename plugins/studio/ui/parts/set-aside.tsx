import type { SessionSummary } from '@amodal/sdk/client'
import { useId, useState, type ReactNode } from 'react'
import { moment } from './decided.tsx'
import { Icon } from './icons.tsx'

export interface SetAsideProps {
  readonly why: NonNullable<SessionSummary['set_aside']>
  readonly onDecide: (decision: 'continue' | 'end') => Promise<void>
}

/**
 * A session that does not go on by itself, since it brought its server down: a person says whether
 * it does.
 */
export function SetAside({ why: { message, crashes, at }, onDecide }: SetAsideProps): ReactNode {
  const title = useId()
  const [isSent, setSent] = useState(false)
  const decide = (decision: 'continue' | 'end'): void => {
    setSent(true)
    void onDecide(decision).finally(() => setSent(false))
  }
  return (
    <section className="ask unsure" aria-labelledby={title} data-open="true">
      <header>
        <Icon name="warning" />
        <h3 id={title}>This session is set aside</h3>
      </header>
      <p>{sentence(message)}</p>
      <p className="muted">
        {crashes} {crashes === 1 ? 'crash' : 'crashes'}, the last one before{' '}
        <time dateTime={at}>{moment(at)}</time>. Nothing of it is lost; what is sent meanwhile
        waits.
      </p>
      <footer>
        <button
          type="button"
          className="primary"
          disabled={isSent}
          onClick={() => decide('continue')}
        >
          Continue
        </button>
        <button type="button" className="danger" disabled={isSent} onClick={() => decide('end')}>
          End its run
        </button>
      </footer>
    </section>
  )
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
