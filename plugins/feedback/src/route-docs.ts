import { ExportQuery, FeedbackRequest, Filter, ListQuery } from './feedback-request.ts'
import {
  FeedbackCategories,
  FeedbackList,
  FeedbackStats,
  GivenFeedback,
} from './feedback-answers.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/feedback': {
    summary: 'lists feedback, the newest first',
    query: ListQuery,
    responses: { 200: { about: 'The newest first.', body: FeedbackList } },
  },
  'POST /api/feedback': {
    summary: 'says whether an answer was good, or takes that back',
    body: FeedbackRequest,
    responses: { 200: { about: 'It is stored, or taken back.', body: GivenFeedback } },
    errors: ['SESSION_NOT_FOUND'],
  },
  'GET /api/feedback/categories': {
    summary: 'the reasons that people are offered',
    responses: { 200: { about: 'What people are offered.', body: FeedbackCategories } },
  },
  'GET /api/feedback/export': {
    summary: 'feedback as a file: JSON lines or CSV',
    query: ExportQuery,
    responses: { 200: { about: 'A file.', types: ['application/jsonl', 'text/csv'] } },
  },
  'GET /api/feedback/stats': {
    summary: 'counts feedback by rating, reason and day',
    query: Filter,
    responses: { 200: { about: 'The sums.', body: FeedbackStats } },
  },
}
