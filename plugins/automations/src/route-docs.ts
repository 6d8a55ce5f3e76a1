import { Backfill, Count, Deliveries, Redrive } from './automation-requests.ts'
import {
  AutomationList,
  AutomationRun,
  DeliveryAttempts,
  DeliveryList,
  DueTimes,
  Redriven,
  RunAccepted,
  RunList,
  Switched,
} from './automation-answers.ts'
import { z } from 'zod'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /automations': {
    summary: 'lists automations, with their state and their next run',
    responses: { 200: { about: 'All of them.', body: AutomationList } },
  },
  'POST /automations/:name/backfill': {
    summary: 'makes runs of earlier due times that have none',
    body: Backfill,
    responses: { 200: { about: 'The runs that were made.', body: RunList } },
  },
  'GET /automations/:name/deliveries': {
    summary: 'lists what was sent of results, and dead letters',
    query: Deliveries,
    responses: { 200: { about: 'The newest first.', body: DeliveryList } },
  },
  'GET /automations/:name/deliveries/:id': {
    summary: 'each attempt at a delivery',
    responses: { 200: { about: 'Each attempt.', body: DeliveryAttempts } },
  },
  'GET /automations/:name/preview': {
    summary: 'the next due times of a schedule',
    query: Count,
    responses: { 200: { about: 'The next due times.', body: DueTimes } },
  },
  'POST /automations/:name/redrive': {
    summary: 'sends dead letters again',
    body: Redrive,
    responses: { 200: { about: 'They are sent again.', body: Redriven } },
  },
  'POST /automations/:name/run': {
    summary: 'runs an automation now, and answers with the result',
    headers: { 'Idempotency-Key': 'The same key is the same run.' },
    query: z.object({ wait: z.enum(['0', '1']).optional() }),
    responses: {
      200: { about: 'The run has ended.', body: AutomationRun },
      202: { about: 'With `wait=0`: the run is stored.', body: RunAccepted },
    },
  },
  'GET /automations/:name/runs': {
    summary: 'lists runs of an automation, the newest first',
    query: Count,
    responses: { 200: { about: 'The newest first.', body: RunList } },
  },
  'POST /automations/:name/start': {
    summary: 'resumes an automation',
    responses: { 200: { about: 'It is resumed.', body: Switched } },
  },
  'POST /automations/:name/stop': {
    summary: 'pauses an automation: no run begins until it is resumed',
    responses: { 200: { about: 'It is paused.', body: Switched } },
  },
  'POST /automations/:name/stream': {
    summary: 'runs an automation now, and answers with its events',
    headers: { 'Idempotency-Key': 'The same key is the same run.' },
    responses: { 200: { about: 'Events of the run.', events: 'conversation' } },
    errors: ['RUN_ACTIVE'],
  },
}
