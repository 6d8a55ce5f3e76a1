import type { Json, JsonObject } from '@amodal/sdk'
import { useState, type ReactNode } from 'react'
import { isJsonObject } from '../model/json-object.ts'
import { plain } from '../model/timeline.ts'
import { Icon, type IconName } from './icons.tsx'
import { Raw } from './json-view.tsx'
import { Markdown } from './markdown.tsx'
import '../styles/widgets.css'

/**
 * What the agent shows beside its text. A kind that this page does not know is shown as what it is
 * made of.
 */
export function Widget({ type, data }: { readonly type: string; readonly data: Json }): ReactNode {
  const fields = isJsonObject(data) ? data : {}
  const Known = Object.hasOwn(WIDGETS, type) ? WIDGETS[type] : undefined
  return (
    <div className={`widget ${Known ? type : 'unknown'}`} data-widget={type}>
      {Known ? <Known data={fields} /> : <Raw title={type} text={plain(data)} />}
    </div>
  )
}

type Draw = (props: { readonly data: JsonObject }) => ReactNode

const WIDGETS: Readonly<Record<string, Draw>> = {
  'info-card': InfoCard,
  'data-table': DataTable,
  metric: Metric,
  'entity-card': EntityCard,
  timeline: Timeline,
}

const SEVERITIES: Readonly<Record<string, IconName>> = {
  success: 'check',
  warning: 'shield',
  error: 'cross',
}

function InfoCard({ data }: { readonly data: JsonObject }): ReactNode {
  const severity = textOf(data['severity']) || 'info'
  return (
    <section className={`card ${severity}`}>
      <header>
        <Icon name={SEVERITIES[severity] ?? 'context'} />
        <h4>{textOf(data['title'])}</h4>
        {severity !== 'info' && <span className="sr">{severity}</span>}
      </header>
      {data['body'] !== undefined && <Markdown text={textOf(data['body'])} />}
    </section>
  )
}

interface Sorting {
  readonly column: number
  readonly down: boolean
}

function DataTable({ data }: { readonly data: JsonObject }): ReactNode {
  const [sorting, setSorting] = useState<Sorting>()
  const columns = listOf(data['columns']).map(textOf)
  const rows = listOf(data['rows']).map((row) =>
    Array.isArray(row)
      ? listOf(row)
      : columns.map((column) => (isJsonObject(row) ? (row[column] ?? null) : null)),
  )
  const sorted = sorting
    ? rows.toSorted(
        (a, b) => compare(a[sorting.column], b[sorting.column]) * (sorting.down ? -1 : 1),
      )
    : rows
  const numeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => isNumeric(row[at])))
  const sort = (column: number): void => {
    if (sorting?.column !== column) setSorting({ column, down: false })
    else setSorting(sorting.down ? undefined : { column, down: true })
  }
  const order = sorting?.down === true ? 'descending' : 'ascending'
  const arrow = sorting?.down === true ? ' ↓' : ' ↑'
  const title = textOf(data['title'])
  return (
    <figure className="card">
      {title !== '' && (
        <figcaption>
          <h4>{title}</h4>
          <small className="muted">
            {rows.length} {rows.length === 1 ? 'row' : 'rows'}
          </small>
        </figcaption>
      )}
      <div className="scroll" tabIndex={0} role="region" aria-label={title || 'Table'}>
        <table>
          <thead>
            <tr>
              {columns.map((column, at) => (
                <th
                  key={at}
                  scope="col"
                  className={numeric[at] ? 'align-right' : undefined}
                  aria-sort={sorting?.column === at ? order : 'none'}
                >
                  <button type="button" className="quiet" onClick={() => sort(at)}>
                    {column}
                    <span aria-hidden="true">{sorting?.column === at ? arrow : ''}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((row, at) => (
              <tr key={at}>
                {columns.map((_, column) => (
                  <td key={column} className={numeric[column] ? 'align-right' : undefined}>
                    {textOf(row[column])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

function Metric({ data }: { readonly data: JsonObject }): ReactNode {
  const change = textOf(data['change'])
  const gain = /^\s*\+/.test(change) ? 'up' : ''
  const tone = /^\s*[-−]/.test(change) ? 'down' : gain
  return (
    <dl className="card">
      <dt>{textOf(data['label'])}</dt>
      <dd>
        <strong>{textOf(data['value'])}</strong>
        {data['unit'] !== undefined && <span className="unit">{textOf(data['unit'])}</span>}
        {change !== '' && <span className={`change ${tone}`}>{change}</span>}
      </dd>
    </dl>
  )
}

function EntityCard({ data }: { readonly data: JsonObject }): ReactNode {
  const subtitle = textOf(data['subtitle'])
  const fields = isJsonObject(data['fields']) ? Object.entries(data['fields']) : []
  return (
    <section className="card">
      <header>
        <h4>{textOf(data['title'])}</h4>
        {subtitle !== '' && <p className="muted">{subtitle}</p>}
      </header>
      {fields.length > 0 && (
        <dl className="fields">
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>{textOf(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

function Timeline({ data }: { readonly data: JsonObject }): ReactNode {
  const title = textOf(data['title'])
  const events = listOf(data['events']).map((event) =>
    isJsonObject(event) ? event : { title: event },
  )
  return (
    <section className="card" aria-label={title || 'Timeline'}>
      {title !== '' && (
        <header>
          <h4>{title}</h4>
        </header>
      )}
      <ol>
        {events.map((event, at) => {
          const [time, description] = [textOf(event['time']), textOf(event['description'])]
          return (
            <li key={at} className={textOf(event['status']) || 'info'}>
              <p>
                <strong>{textOf(event['title'])}</strong>
                {time !== '' && <time className="muted">{time}</time>}
              </p>
              {description !== '' && <Markdown text={description} />}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [] // a list of JSON
function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A figure, also with a currency, a percent sign or thousands. */
function figure(value: Json | undefined): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*[-+−]?[$€£]?\s?[\d.,]+\s?%?\s*$/.test(value)
    ? Number(value.replaceAll(/[^\d.-]/g, ''))
    : NaN
}
const isNumeric = (value: Json | undefined): boolean => !Number.isNaN(figure(value))

function compare(a: Json | undefined, b: Json | undefined): number {
  const [x, y] = [figure(a), figure(b)]
  return Number.isNaN(x) || Number.isNaN(y)
    ? textOf(a).localeCompare(textOf(b), undefined, { numeric: true })
    : x - y
}
