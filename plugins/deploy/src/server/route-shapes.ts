import { z } from 'zod'
import type { Deployment, DeploymentEvent, Pointer } from './deployment-store.ts'
import type { DeployStatus } from './deploy-service.ts'

const id = z.string().regex(/^[0-9a-f]{6,64}$/, 'must be an id of a snapshot, or its beginning')

export const Promoted = z.strictObject({
  id,
  percent: z.number().min(0).max(100).optional(),
})
export const RolledBack = z.strictObject({ id: id.optional() })

export const PushedAnswer = z.object({
  id: z.string(),
  added: z.boolean().describe('false: it was there already'),
})
export const PointerAnswer = z.object({
  snapshot: z.string().nullable().describe('null: the agent folder of each server'),
  canary: z.string().nullable(),
  percent: z.number(),
  version: z.int(),
})
const DeploymentAnswer = z.object({
  id: z.string(),
  agent: z.string(),
  version: z.string(),
  runtime: z.string(),
  files: z.int(),
  size: z.int(),
  pushed_at: z.string(),
  pushed_by: z.string(),
})
export const ListAnswer = z.object({ deployments: z.array(DeploymentAnswer) })
const EventAnswer = z.object({
  at: z.string(),
  who: z.string(),
  what: z.string(),
  snapshot: z.string().nullable(),
  previous: z.string().nullable(),
  percent: z.number().nullable(),
})
export const StatusAnswer = PointerAnswer.extend({
  in_use: z.string().nullable().describe('what this instance uses'),
  problem: z.string().nullable(),
  events: z.array(EventAnswer),
})

export const pointerShown = ({
  snapshot,
  canary,
  percent,
  version,
}: Pointer): z.output<typeof PointerAnswer> => ({ snapshot, canary, percent, version })

export const deploymentShown = ({
  pushed_at: at,
  ...rest
}: Deployment): z.output<typeof DeploymentAnswer> => ({ ...rest, pushed_at: at.toISOString() })

const eventShown = ({ at, ...rest }: DeploymentEvent): z.output<typeof EventAnswer> => ({
  ...rest,
  at: at.toISOString(),
})

export const statusShown = ({
  pointer,
  inUse,
  problem,
  events,
}: DeployStatus): z.output<typeof StatusAnswer> => ({
  ...pointerShown(pointer),
  in_use: inUse,
  problem: problem ?? null,
  events: events.map(eventShown),
})
