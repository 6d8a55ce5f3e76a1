import { z } from 'zod'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

import * as answers from './run-answers.ts'
import * as requests from './run-request.ts'

const KEY = { 'Idempotency-Key': 'The same key is the same run.' }
const AGENTS = '/api/platform/v1/agents'
const ARTIFACTS = '/api/platform/v1/artifacts'
/** Runs have one form of their own for what does not exist, is over or is refused. */
const RUN_ERROR = {
  about: 'The run does not exist, or is not in a state for this request.',
  body: z.looseObject({
    success: z.literal(false),
    status: z.string(),
    error: z.looseObject({ code: z.string(), message: z.string() }),
  }),
}
const RunList = z.looseObject({
  sessions: z.array(answers.Listed),
  next_before: z.string().nullable(),
})

/** What `GET /openapi.json` says of runs and artifacts. */
export const routeDocs = (maxTaskChars: number): RouteDocs => ({
  [`GET ${AGENTS}`]: {
    summary: 'lists runs',
    query: requests.ListQuery,
    responses: { 200: { about: 'The newest first.', body: RunList } },
  },
  [`GET ${AGENTS}/openapi.json`]: { summary: 'these paths as an OpenAPI document' },
  [`GET ${AGENTS}/profiles`]: {
    summary: 'the profiles that a run can have',
    responses: {
      200: { about: 'All of them.', body: z.looseObject({ profiles: z.array(answers.Profile) }) },
    },
  },
  [`POST ${AGENTS}/run`]: {
    summary: 'starts a run',
    headers: KEY,
    body: requests.startRequest(maxTaskChars),
    responses: {
      200: { about: 'With `async: false`: the run has ended.', body: answers.Session },
      202: { about: 'The run is stored.', body: answers.Started },
    },
    errors: ['NOT_FOUND', 'MESSAGE_CONFLICT'],
  },
  [`GET ${AGENTS}/:id/status`]: {
    errorForm: RUN_ERROR,
    summary: 'the status of a run, and its result',
    query: requests.StatusQuery,
    responses: { 200: { about: 'The run.', body: answers.Session } },
  },
  [`GET ${AGENTS}/:id/events`]: {
    errorForm: RUN_ERROR,
    summary: 'events of a run, in pages',
    query: requests.EventsQuery,
    responses: { 200: { about: 'A page of them.', body: answers.Events } },
  },
  [`GET ${AGENTS}/:id/artifacts`]: {
    errorForm: RUN_ERROR,
    summary: 'the artifacts of a run',
    responses: { 200: { about: 'All of them.', body: answers.Artifacts } },
  },
  [`GET ${AGENTS}/:id/stream`]: {
    errorForm: RUN_ERROR,
    summary: 'events of a run as they happen',
    headers: { 'Last-Event-ID': 'The last event that the client has received.' },
    responses: { 200: { about: 'A stream of events.', types: ['text/event-stream'] } },
  },
  [`POST ${AGENTS}/:id/resume`]: {
    errorForm: RUN_ERROR,
    summary: 'answers what a run waits for',
    body: requests.ResumeRequest,
    responses: { 200: { about: 'The run continues.', body: answers.Changed } },
  },
  [`POST ${AGENTS}/:id/cancel`]: {
    errorForm: RUN_ERROR,
    summary: 'ends a run',
    body: requests.CancelRequest,
    responses: { 200: { about: 'The run is cancelled.', body: answers.Changed } },
  },
  [`GET ${ARTIFACTS}/:id`]: {
    errorForm: RUN_ERROR,
    summary: 'an artifact of a run',
    query: requests.ArtifactQuery,
    responses: { 200: { about: 'The artifact.', body: answers.Artifact } },
  },
  [`POST ${ARTIFACTS}/:id/link`]: {
    errorForm: RUN_ERROR,
    summary: 'a link to a version of an artifact, for somebody without a credential',
    body: requests.LinkRequest,
    responses: { 200: { about: 'The link.', body: answers.Link } },
  },
})
