import { ok, type Failure, type Result } from '@amodal/sdk'
import { exportFile, type ExportFormat, type ExportPage } from '@amodal/plugin-http/tokens'
import { entryView } from './entry-view.ts'
import type { FeedbackEntry, Place } from './entry.ts'
import type { FeedbackPage } from './feedback-service.ts'

/** Reads the page behind a place. */
type Read = (after: Place | undefined) => Promise<Result<FeedbackPage, Failure>>

const COLUMNS = [
  'id',
  'at',
  'rating',
  'categories',
  'comment',
  'tags',
  'principal',
  'session_id',
  'message_id',
  'run_id',
  'answered_at',
  'question',
  'answer',
  'model',
  'provider',
  'input_tokens',
  'output_tokens',
  'cost',
] as const satisfies readonly (keyof ReturnType<typeof entryView>)[]

/** All feedback as one file, or why the first page of it cannot be read. */
export async function exported(
  format: ExportFormat,
  read: Read,
): Promise<Result<Response, Failure>> {
  const first = await pageBehind(undefined, read)
  return first.ok
    ? ok(exportFile(first.value, { name: 'feedback', format, columns: COLUMNS, view: entryView }))
    : first
}

async function pageBehind(
  after: Place | undefined,
  read: Read,
): Promise<Result<ExportPage<FeedbackEntry>, Failure>> {
  const page = await read(after)
  if (!page.ok) return page
  const { entries, next } = page.value
  return ok({ items: entries, next: next && (() => pageBehind(next, read)) })
}
