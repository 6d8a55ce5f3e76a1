import { memo, useState, type ReactNode } from 'react'
import { compactText, durationText } from '../../model/format.ts'
import type { RunStep } from '../../model/run-events.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { Icon, type IconName } from '../icons.tsx'

/** Steps that are shown at once; a run may have thousands. */
const SHOWN = 200

const text = RUN_STRINGS.steps

/** What happened in a run, in its order. */
export function RunTimeline({ steps }: { readonly steps: readonly RunStep[] }): ReactNode {
  const [shown, setShown] = useState(SHOWN)
  const hidden = Math.max(0, steps.length - shown)
  return (
    <>
      {hidden > 0 && (
        <button type="button" className="link" onClick={() => setShown(shown + SHOWN)}>
          {RUN_STRINGS.page.earlier(Math.min(hidden, SHOWN))}
        </button>
      )}
      <ol className="run-steps">
        {steps.slice(hidden).map((step) => (
          <Step key={step.key} step={step} />
        ))}
      </ol>
    </>
  )
}

/** A new event makes all steps anew, and changes one or two of them. */
const Step = memo(
  ({ step }: { readonly step: RunStep }): ReactNode => (
    <li className="run-step" data-kind={step.kind} data-status={statusOf(step)}>
      <Icon name={iconOf(step)} />
      <div className="run-step-text">
        <Words step={step} />
      </div>
      <time dateTime={step.at} title={new Date(step.at).toLocaleString()}>
        {new Date(step.at).toLocaleTimeString([], {
          hour: '2-digit',
          minute: '2-digit',
          second: '2-digit',
        })}
      </time>
    </li>
  ),
  ({ step: before }, { step }) => JSON.stringify(before) === JSON.stringify(step),
)

function statusOf(step: RunStep): string | undefined {
  if (step.kind === 'call') return step.status
  if (step.kind === 'pause') return 'waiting'
  if (step.kind !== 'end') return undefined
  return step.isGood ? 'done' : 'failed'
}

function iconOf(step: RunStep): IconName {
  switch (step.kind) {
    case 'thought':
      return 'chat'
    case 'call':
      return step.status === 'failed' ? 'warning' : 'plug'
    case 'turn':
      return 'retry'
    case 'pause':
      return step.type === 'approval' ? 'shield' : 'question'
    case 'end':
      return step.isGood ? 'check' : 'warning'
    default:
      return step satisfies never
  }
}

function Words({ step }: { readonly step: RunStep }): ReactNode {
  switch (step.kind) {
    case 'thought':
      return (
        <>
          <span className="sr">{text.thought}: </span>
          <p>{step.text}</p>
        </>
      )
    case 'call':
      return <Call step={step} />
    case 'turn':
      return (
        <p>
          {text.turn(step.turn)}
          <small className="muted">
            {' '}
            {RUN_STRINGS.page.tokensText(
              compactText(step.tokens.input),
              compactText(step.tokens.output),
            )}
          </small>
        </p>
      )
    case 'pause':
      return (
        <>
          <p>{text.pause[step.type]}</p>
          {step.question !== '' && <p className="muted">{step.question}</p>}
        </>
      )
    case 'end':
      return (
        <p>
          {step.isGood ? text.complete : text.error}
          <span className="muted">
            : {step.isGood ? step.text.replaceAll('_', ' ') : step.text}
          </span>
        </p>
      )
    default:
      return step satisfies never
  }
}

function Call({ step }: { readonly step: Extract<RunStep, { kind: 'call' }> }): ReactNode {
  const { tool, input, status, ms, outcome } = step
  return (
    <details>
      <summary>
        <code>{tool}</code>{' '}
        <small className="muted">
          {text[status]}
          {ms !== undefined && `, ${durationText(ms)}`}
        </small>
      </summary>
      <dl>
        <dt>{text.input}</dt>
        <dd>
          <code>{input}</code>
        </dd>
        {outcome !== undefined && (
          <>
            <dt>{status === 'failed' ? text.error : text.outcome}</dt>
            <dd>
              <code>{outcome}</code>
            </dd>
          </>
        )}
      </dl>
    </details>
  )
}
