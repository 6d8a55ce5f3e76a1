import {
  failure,
  ok,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { describeRoutes, failed } from '@amodal/plugin-http/tokens'
import {
  recordList,
  type RecordCell,
  type RecordList,
  type WidgetView,
  widgetViewDoc,
} from '@amodal/plugin-studio/tokens'
import type { FeedbackCounts, FeedbackEntry, Rating } from './entry.ts'
import { cursorOf, placeOf } from './entry-view.ts'
import type { FeedbackOffer } from './feedback-offer.ts'
import { filterOf, readListQuery } from './feedback-request.ts'
import type { FeedbackService } from './feedback-service.ts'
import { readableBy } from './routes.ts'

export const STUDIO_VIEW: WidgetView = {
  title: 'Feedback',
  icon: 'feedback',
  route: '/api/studio/feedback',
  scope: 'feedback',
  refreshOn: ['feedback.given', 'session_deleted'],
}

const QUESTION_CHARS = 120
const ANSWER_CHARS = 200
const COMMENT_CHARS = 400

type Widgets = Result<readonly ReturnType<typeof recordList>[], Failure>

/** The view of feedback in the studio: sums that lead to their entries, and the entries. */
export const studioRoute = (service: FeedbackService): RouteHandler =>
  describeRoutes(
    {
      async fetch(request, context) {
        if (request.method !== 'GET')
          return failed(failure('NOT_FOUND', 'there is nothing at this path'))
        const parameters = Object.fromEntries(new URL(request.url).searchParams)
        const widgets = await widgetsOf(service, parameters, context)
        return widgets.ok ? Response.json({ widgets: widgets.value }) : failed(widgets.error)
      },
    },
    { 'GET /api/studio/feedback': widgetViewDoc('feedback, as the studio shows it') },
  )

async function widgetsOf(
  service: FeedbackService,
  parameters: Readonly<Record<string, string>>,
  context: RouteContext,
): Promise<Widgets> {
  const caller = context.caller()
  if (!caller.ok) return caller
  const query = readListQuery(parameters)
  if (!query.ok) return query
  const principal = readableBy(context, caller.value)
  const { limit, cursor } = query.value
  const after = cursor === undefined ? undefined : placeOf(cursor)
  const everything = filterOf({}, principal)
  const [counts, page] = await Promise.all([
    service.counts(caller.value, everything, context.signal),
    service.page(caller.value, filterOf(query.value, principal), { limit, after }, context.signal),
  ])
  if (!counts.ok) return counts
  if (!page.ok) return page
  const { entries, next } = page.value
  const offer = service.offer()
  const { cursor: _, ...filters } = parameters
  const isFiltered = Object.keys(filters).length > 0
  const list: RecordList = {
    title: isFiltered ? filterTitle(filters, offer) : 'All feedback',
    columns: ['When', 'Rating', 'Question', 'Answer', 'Reasons', 'Comment', 'By', 'Model'],
    records: entries.map((entry) => ({ cells: cellsOf(entry, offer) })),
    empty: isFiltered
      ? 'There is no such feedback.'
      : 'Nobody has rated an answer yet: the thumbs stand below each answer of a chat.',
    ...(next && { older: { ...filters, cursor: cursorOf(next) } }),
  }
  return ok([
    ...(counts.value.days.length > 0 ? [sums(counts.value, offer)] : []),
    recordList(list),
  ])
}

/** Numbers of good and bad answers, each of which leads to what it counts. */
function sums({ days, categories }: FeedbackCounts, offer: FeedbackOffer) {
  const row = (
    label: string,
    items: readonly { readonly rating: Rating; readonly count: number }[],
    filter: Readonly<Record<string, string>>,
  ): RecordList['records'][number] => {
    const count = (rating: Rating): RecordCell => {
      const sum = items.reduce((all, one) => (one.rating === rating ? all + one.count : all), 0)
      return sum === 0 ? { text: '0' } : { text: String(sum), open: { ...filter, rating } }
    }
    return { cells: [{ text: label, open: filter }, count('up'), count('down')] }
  }
  const ids = [...new Set(categories.map(({ category }) => category))]
  return recordList({
    title: 'By reason',
    columns: ['Reason', 'Good', 'Bad'],
    records: [
      row('All', days, {}),
      ...ids.map((id) =>
        row(
          labelOf(id, offer),
          categories.filter(({ category }) => category === id),
          { category: id },
        ),
      ),
    ],
  })
}

const labelOf = (id: string, { categories }: FeedbackOffer): string =>
  categories.find((one) => one.id === id)?.label ?? id

function filterTitle(
  { rating, category, session_id: session }: Readonly<Record<string, string>>,
  offer: FeedbackOffer,
): string {
  const parts = [
    ...(rating === undefined ? [] : [rating === 'up' ? 'Good' : 'Bad']),
    ...(category === undefined ? [] : [labelOf(category, offer)]),
    ...(session === undefined ? [] : [session]),
  ]
  return parts.join(', ') || 'Feedback'
}

function cellsOf(entry: FeedbackEntry, offer: FeedbackOffer): readonly (string | RecordCell)[] {
  const { session, rating, categories, comment, principal, model } = entry
  return [
    { time: new Date(entry.at).toISOString() },
    rating === 'up' ? { text: 'good', tone: 'good' } : { text: 'bad', tone: 'bad' },
    { text: ellipsis(entry.question, QUESTION_CHARS) || 'open', session },
    ellipsis(entry.answer, ANSWER_CHARS),
    categories.map((id) => labelOf(id, offer)).join(', '),
    ellipsis(comment, COMMENT_CHARS),
    principal,
    model,
  ]
}
