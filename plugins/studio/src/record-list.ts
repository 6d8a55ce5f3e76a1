import type { JsonObject } from '@amodal/sdk'

/**
 * Something that a person may do in a view. The page sends it with their credential and a key of
 * its own (`Idempotency-Key`), then asks for the view again. Whether they may is decided by the
 * route that it is sent to.
 */
export interface RecordAction {
  readonly label: string
  /** Of a route of this server; it is sent a `POST`. */
  readonly path: string
  /** JSON that is sent; `{}` where it is left out. */
  readonly body?: JsonObject
  /** A question that has to be answered before it is sent. */
  readonly confirm?: string
}

/** A value of a record. Texts are shown as they are: neither HTML nor Markdown. */
export interface RecordCell {
  readonly text?: string
  /** ISO 8601: shown behind the text, in the zone of whoever looks. */
  readonly time?: string
  readonly tone?: 'good' | 'warn' | 'bad'
  /** Leads to this session. */
  readonly session?: string
  /** Leads to the same view, whose route is asked with this query. */
  readonly open?: Readonly<Record<string, string>>
}

/** A field above the records. What is entered leads to the same view. */
export interface RecordSearch {
  readonly label: string
  /** Of the query that the route of the view is asked with. */
  readonly parameter: string
  /** What was searched for. */
  readonly value?: string
  /** The rest of the query. */
  readonly query?: Readonly<Record<string, string>>
}

/** Records with what can be done to each: the widget `record-list` of a view. */
export interface RecordList {
  readonly title?: string
  readonly columns: readonly string[]
  readonly records: readonly {
    /** One for each column. */
    readonly cells: readonly (string | RecordCell)[]
    readonly actions?: readonly RecordAction[]
  }[]
  /** Shown where there are no records. */
  readonly empty?: string
  /** What can be done to all of them. */
  readonly actions?: readonly RecordAction[]
  readonly search?: RecordSearch
  /** Query of the same view that shows what is older. */
  readonly older?: Readonly<Record<string, string>>
}

/**
 * A widget of a view that lists records and offers actions. Agents cannot show it: what a model
 * writes never becomes a button that acts.
 *
 * @example
 * recordList({
 *   columns: ['Order', 'State'],
 *   records: [{
 *     cells: ['A-17', { text: 'held back', tone: 'warn' }],
 *     actions: [{ label: 'Release', path: '/api/orders/A-17/release' }],
 *   }],
 * })
 */
export const recordList = (data: RecordList) => ({ widget_type: 'record-list', data }) as const
