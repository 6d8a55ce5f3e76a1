import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import type { Server } from '../../model/server.ts'
import { costText, durationText } from '../../model/format.ts'
import { bytesText } from '../../model/trace-rows.ts'
import {
  useTraceDetail,
  type DetailState,
  type ShownValue,
  type TraceDetail,
  type TraceRow,
} from '../../model/trace.ts'
import { Raw } from '../json-view.tsx'
import { Skeleton } from '../skeleton.tsx'
import { RowActions } from './row-actions.tsx'
import { SentView } from './sent-view.tsx'
import { KindIcon, StatusMark } from './trace-icons.tsx'
import { TRACE } from './trace-strings.ts'
import type { TraceActions } from './trace-types.ts'

export interface TraceInspectorProps {
  readonly server: Server
  readonly row: TraceRow
  readonly actions: TraceActions
  readonly onOpen: (session: string) => void
  readonly onClose: () => void
}

/** Where the inspector takes the whole width. */
const NARROW = '(max-width: 899px)'

/** All that is known of one row. */
export function TraceInspector({
  server,
  row,
  actions,
  onOpen,
  onClose,
}: TraceInspectorProps): ReactNode {
  const state = useTraceDetail(server, row)
  const closing = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (matchMedia(NARROW).matches) closing.current?.focus()
  }, [])
  const { detail, problem } = state
  const child = row.agent?.session
  return (
    <aside
      className="trace-inspector"
      aria-label={`${TRACE.kind[row.kind]}: ${row.title}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header>
        <KindIcon kind={row.kind} />
        <strong>{TRACE.kind[row.kind]}</strong>
        <StatusMark status={row.status} words />
        <button
          ref={closing}
          type="button"
          className="quiet trace-close"
          aria-label={TRACE.close}
          title={`${TRACE.close} (Esc)`}
          onClick={onClose}
        >
          <X className="icon" aria-hidden="true" />
        </button>
      </header>
      <div className="trace-detail">
        <h3>{row.title}</h3>
        <RowActions {...{ row, actions }} words />
        {child !== undefined && child !== null && (
          <button type="button" onClick={() => onOpen(child)}>
            {TRACE.open}
          </button>
        )}
        <Facts row={row} detail={detail} />
        {problem && (
          <div className="note error" role="alert">
            <p>
              {problem.message} <code>{problem.code}</code>
            </p>
            <button type="button" onClick={state.reload}>
              {TRACE.retry}
            </button>
          </div>
        )}
        {!detail && !problem && <Skeleton rows={4} />}
        {detail && <Body detail={detail} state={state} />}
      </div>
    </aside>
  )
}

function Facts({
  row,
  detail,
}: {
  readonly row: TraceRow
  readonly detail: TraceDetail | undefined
}): ReactNode {
  const { model } = row
  const text = TRACE.facts
  const target = detail?.effect?.target
  const settled = detail?.settled
  const facts: readonly (readonly [string, string | undefined])[] = [
    [text.at, new Date(row.at).toLocaleString()],
    [text.ms, row.ms === null || row.ms === 0 ? undefined : durationText(row.ms)],
    [text.waited, typeof row.waiting_ms === 'number' ? durationText(row.waiting_ms) : undefined],
    [text.model, model && `${model.provider}/${model.model}`],
    [text.tokens, model && tokensText(model.tokens)],
    [text.cost, model && model.cost !== null ? costText(model.cost) : undefined],
    [text.finish, model?.finish],
    [text.tries, model?.tries === undefined ? undefined : String(model.tries)],
    ...askFacts(row),
    [text.target, target && `${target.connection}: ${target.method} ${target.path}`],
    [text.key, detail?.effect?.idempotency_key],
    [text.settled, settled && `${settled.outcome ?? ''} (${settled.by ?? ''})`],
  ]
  return (
    <dl className="trace-facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

function askFacts({ ask }: TraceRow): readonly (readonly [string, string | undefined])[] {
  const text = TRACE.facts
  return ask
    ? [
        [text.decision, ask.decision ?? undefined],
        [text.by, ask.by],
        [text.tool, ask.tool],
        [text.rule, ask.rule],
        [text.reason, ask.reason],
      ]
    : []
}

const tokensText = ({ input, output, cached }: NonNullable<TraceRow['model']>['tokens']): string =>
  `${input.toLocaleString('en')} in, ${output.toLocaleString('en')} out${
    cached > 0 ? `, ${cached.toLocaleString('en')} ${TRACE.facts.cached}` : ''
  }`

function Body({
  detail,
  state,
}: {
  readonly detail: TraceDetail
  readonly state: DetailState
}): ReactNode {
  const { error, not_shown: hidden = [], calls = [], content = [], sent } = detail
  const names = TRACE.values
  return (
    <>
      {error && (
        <div className="note error">
          <p>
            {error.message} <code>{error.code}</code>
          </p>
          <p className="muted">{error.fix}</p>
        </div>
      )}
      <Value title={names.reason} value={detail.reason} state={state} />
      <Value title={names.context} value={detail.context} state={state} />
      <Value title={names.answer} value={detail.answer} state={state} />
      <Value title={names.arguments} value={detail.arguments} state={state} />
      {detail.private === true && <p className="muted">{TRACE.private}</p>}
      <Value title={names.result} value={detail.result} state={state} />
      {content.map((part, at) => (
        <Content key={at} part={part} state={state} />
      ))}
      <Value title={names.reasoning} value={detail.reasoning} state={state} />
      <Value title={names.text} value={detail.text} state={state} />
      {calls.map(({ id, name, arguments: value }) => (
        <Value key={id} title={name} value={value} state={state} />
      ))}
      {hidden.length > 0 && (
        <p className="muted">
          {TRACE.notShown} {hidden.join(', ')}
        </p>
      )}
      {sent && <SentView sent={sent} />}
    </>
  )
}

function Content({
  part,
  state,
}: {
  readonly part: NonNullable<TraceDetail['content']>[number]
  readonly state: DetailState
}): ReactNode {
  const { text, data, mime_type: type } = part
  if (text) return <Value title={TRACE.values.text} value={text} state={state} />
  const isWhole = typeof data?.value === 'string'
  return isWhole && type?.startsWith('image/') === true ? (
    <img className="trace-image" alt="" src={`data:${type};base64,${String(data.value)}`} />
  ) : (
    <Value title={type ?? ''} value={data} state={state} />
  )
}

function Value({
  title,
  value,
  state: { loadFull },
}: {
  readonly title: string
  readonly value: ShownValue | null | undefined
  readonly state: DetailState
}): ReactNode {
  if (!value || value.value === '') return null
  const text = value.cut === true ? (value.text ?? '') : textOf(value.value)
  return (
    <section className="trace-value">
      <Raw title={`${title} · ${bytesText(value.bytes)}`} text={text} />
      {value.cut === true && (
        <button type="button" onClick={loadFull}>
          {TRACE.showAll} ({bytesText(value.bytes)})
        </button>
      )}
    </section>
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
