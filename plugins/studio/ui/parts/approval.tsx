import {
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import type { AnswerInput } from '@amodal/sdk/client'
import type { Ask, Settled } from '../model/timeline.ts'
import { Icon, type IconName } from './icons.tsx'
import { Decided } from './decided.tsx'
import { originRows } from './origin-rows.ts'
import { isOfRequest, requestLine } from './request-line.ts'
import { rowsOf, Values, type NamedValue, type ValuesProps } from './values.tsx'

type ApprovalAsk = Extract<Ask, { readonly kind: 'approval' }>

export interface ApprovalProps {
  readonly ask: ApprovalAsk
  readonly open: boolean
  readonly settled: Settled | undefined
  /** Of whom a decision is, as this reader knows them. */
  readonly nameOf: (by: string) => string
  readonly onAnswer: (answer: AnswerInput) => void
}

const HEADS: Readonly<Record<Settled['decision'], readonly [title: string, icon: IconName]>> = {
  approved: ['Approved', 'check'],
  declined: ['Declined', 'cross'],
  expired: ['Not answered in time', 'clock'],
  answered: ['Answered', 'check'],
  stopped: ['Not answered', 'stop'],
}

/**
 * A call that a person decides about: all that it sends is shown, and has been in view before it
 * can be approved.
 */
export function Approval({ ask, open, settled, nameOf, onAnswer }: ApprovalProps): ReactNode {
  const title = useId()
  const card = useRef<HTMLElement>(null)
  const [heading, icon] = open
    ? [ask.escalated ? 'Needs a review' : 'Needs your approval', 'shield' as const]
    : HEADS[settled?.decision ?? 'answered']
  useEffect(() => {
    // a card that is taller than what is in view is read from its beginning
    const log = card.current?.closest('.log')
    if (open && card.current && log && card.current.offsetHeight > log.clientHeight)
      card.current.scrollIntoView({ block: 'start' })
  }, [open])
  return (
    <section
      className="ask"
      ref={card}
      aria-labelledby={title}
      data-open={open}
      data-decision={open ? undefined : settled?.decision}
    >
      <header>
        <Icon name={icon} />
        <h3 id={title}>{heading}</h3>
        <code>{ask.tool}</code>
      </header>
      {open ? (
        <Undecided ask={ask} onAnswer={onAnswer} />
      ) : (
        <>
          <Decided settled={settled} nameOf={nameOf} />
          <details>
            <summary>What was asked</summary>
            <Sent ask={ask} />
          </details>
        </>
      )}
    </section>
  )
}

/** Where it goes and what it sends. */
function Sent({
  ask,
  ...view
}: Omit<ValuesProps, 'rows'> & { readonly ask: ApprovalAsk }): ReactNode {
  const { tool, target, reason, params, details } = ask
  const where: readonly NamedValue[] = target !== '' && target !== tool ? [['Goes to', target]] : []
  const { origins = null, ...more } = details
  const own = rowsOf(params)
  const named = requestLine(params) === target ? own.filter(([name]) => !isOfRequest(name)) : own
  const rows = [...where, ...named, ...rowsOf(more), ...originRows(origins)]
  return (
    <>
      {reason !== '' && <p>{reason}</p>}
      {rows.length === 0 ? (
        <p className="muted">It has no arguments.</p>
      ) : (
        <Values rows={rows} {...view} />
      )}
    </>
  )
}

function Undecided({
  ask,
  onAnswer,
}: {
  readonly ask: ApprovalAsk
  readonly onAnswer: (answer: AnswerInput) => void
}): ReactNode {
  const [unread, setUnread] = useState(0)
  const [unfolded, setUnfolded] = useState(false)
  const [declining, setDeclining] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  const hint = useId()
  const showAll = (): void => {
    setUnfolded(true)
    body.current
      ?.querySelector('[data-unread="true"]')
      ?.scrollIntoView({ block: 'start', behavior: 'smooth' })
  }
  const decline = useCallback(
    (feedback: string) =>
      onAnswer({ id: ask.id, approved: false, ...(feedback !== '' && { feedback }) }),
    [ask.id, onAnswer],
  )
  return (
    <>
      <div ref={body} className="sent">
        <Sent ask={ask} unfolded={unfolded} onUnread={setUnread} />
      </div>
      {unread > 0 && !declining && (
        <p className="unread" id={hint}>
          <span>
            {unread === 1 ? 'One value has' : `${unread} values have`} not been in view as a whole
            yet.
          </span>
          <button type="button" className="link" onClick={showAll}>
            Show
          </button>
        </p>
      )}
      {declining ? (
        <Declining onDecline={decline} onBack={() => setDeclining(false)} />
      ) : (
        <footer>
          <button
            type="button"
            className="primary"
            disabled={unread > 0}
            aria-describedby={unread > 0 ? hint : undefined}
            onClick={() => onAnswer({ id: ask.id, approved: true })}
          >
            <Icon name="check" />
            Approve
          </button>
          {ask.grant !== undefined && (
            <button
              type="button"
              disabled={unread > 0}
              title={`Also approves later calls of ${ask.grant} in this conversation whose recipients, targets and amounts are yours`}
              onClick={() => onAnswer({ id: ask.id, approved: true, scope: 'conversation' })}
            >
              Approve in this conversation
            </button>
          )}
          <button type="button" onClick={() => setDeclining(true)}>
            <Icon name="cross" />
            Decline…
          </button>
          {ask.expires !== undefined && (
            <small className="muted">
              Open until{' '}
              {new Date(ask.expires).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
            </small>
          )}
        </footer>
      )}
    </>
  )
}

/**
 * Why not, and what to do instead: Enter declines, Shift and Enter is a new line, Escape goes back.
 */
function Declining({
  onDecline,
  onBack,
}: {
  readonly onDecline: (feedback: string) => void
  readonly onBack: () => void
}): ReactNode {
  const [feedback, setFeedback] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector('textarea')?.focus({ preventScroll: true })
    form.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      event.nativeEvent.stopImmediatePropagation() // or it would stop the run
      onBack()
    }
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    onDecline(feedback.trim())
  }
  return (
    <form
      ref={form}
      className="declining"
      onSubmit={(event) => {
        event.preventDefault()
        onDecline(feedback.trim())
      }}
    >
      <label>
        What should it do instead?
        <textarea
          rows={2}
          enterKeyHint="send"
          placeholder="Optional"
          value={feedback}
          onChange={(event) => setFeedback(event.target.value)}
          onKeyDown={pressed}
        />
      </label>
      <footer>
        <button type="submit" className="danger">
          <Icon name="cross" />
          Decline
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </footer>
    </form>
  )
}
