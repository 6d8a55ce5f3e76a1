import type { SettledOutcome, UnknownOutcome } from '@amodal/sdk/client'
import { useId, useState, type ReactNode } from 'react'
import type { Settlement } from '../model/conversation.ts'
import type { Item } from '../model/timeline.ts'
import { Decided } from './decided.tsx'
import { Icon, type IconName } from './icons.tsx'
import { rowsOf, Values } from './values.tsx'

export interface UnknownOutcomeCardProps {
  readonly item: Extract<Item, { readonly kind: 'doubt' }>
  readonly nameOf: (by: string) => string
  /** Resolves with what there is to say, where it is not settled. */
  readonly onSettle: (call: string, settlement: Settlement) => Promise<string | undefined>
}

/**
 * A call that may or may not have taken effect: whoever has looked at its target says which it was.
 */
export function UnknownOutcomeCard({
  item: { tool, params, open, settled },
  nameOf,
  onSettle,
}: UnknownOutcomeCardProps): ReactNode {
  const title = useId()
  const [heading, icon] = open ? ['Did this take effect?', 'question' as const] : headOf(settled)
  return (
    <section className="ask unsure" aria-labelledby={title} data-open={open !== undefined}>
      <header>
        <Icon name={icon} />
        <h3 id={title}>{heading}</h3>
        <code>{tool}</code>
      </header>
      {open ? (
        <Unsettled call={open} onSettle={onSettle} />
      ) : (
        <>
          {settled && (
            <Decided
              settled={{ decision: 'answered', by: settled.by, at: settled.at }}
              nameOf={nameOf}
            />
          )}
          <details>
            <summary>What was sent</summary>
            <Values rows={rowsOf(params)} />
          </details>
        </>
      )}
    </section>
  )
}

function headOf(settled: SettledOutcome | undefined): readonly [title: string, icon: IconName] {
  if (!settled) return ['Its outcome is unknown', 'question']
  const { outcome, status } = settled
  switch (outcome) {
    case 'happened':
      return ['It took effect', 'check']
    case 'not_happened':
      return ['It did not take effect', 'cross']
    case 'retry':
      return status === 'error'
        ? ['Made again, and refused: it did not take effect', 'cross']
        : ['Made again, and it succeeded', 'check']
    default:
      return outcome satisfies never
  }
}

function Unsettled({
  call: { call_id: id, idempotency_key: key, can_retry: canRetry, parameters = null },
  onSettle,
}: {
  readonly call: UnknownOutcome
  readonly onSettle: UnknownOutcomeCardProps['onSettle']
}): ReactNode {
  const [isSent, setSent] = useState(false)
  const [problem, setProblem] = useState<string>()
  const settle = (settlement: Settlement): void => {
    setSent(true)
    setProblem(undefined)
    void onSettle(id, settlement)
      .then(setProblem)
      .finally(() => setSent(false))
  }
  return (
    <>
      <p>No answer came to this call. Look at its target, then say what became of it.</p>
      <Values rows={[...rowsOf(parameters), ['key', key]]} />
      {problem !== undefined && (
        <p className="note warning" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button type="button" disabled={isSent} onClick={() => settle('happened')}>
          <Icon name="check" />
          It happened
        </button>
        <button type="button" disabled={isSent} onClick={() => settle('not_happened')}>
          <Icon name="cross" />
          It did not happen
        </button>
        {canRetry ? (
          <button
            type="button"
            disabled={isSent}
            title="Under the same key, so that it counts once"
            onClick={() => settle('retry')}
          >
            Make it again
          </button>
        ) : (
          <small className="muted">
            It cannot be made again: its target does not know its key.
          </small>
        )}
      </footer>
    </>
  )
}
