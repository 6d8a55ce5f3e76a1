import type { BundleFile, JsonObject } from '@amodal/sdk'
import { type Issues, readJsonObject, refuseUnknown, shaped } from '@amodal/sdk/files'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { CAPABILITIES, POINTS, type Guard } from './guard.ts'

const text = z.string().min(1)
const fields = z.looseObject({
  name: text,
  label: text.exactOptional(),
  description: z.string().exactOptional(),
  points: z.array(z.enum(POINTS)).min(1),
  capabilities: z.array(z.enum(CAPABILITIES)).default([]),
  failPolicy: z.enum(['closed', 'open']).default('closed'),
  config: z.record(z.string(), jsonValue).default({}),
})
const KNOWN = ['$schema', ...Object.keys(fields.shape)]

export type GuardFields = Pick<Guard, 'label' | 'points' | 'capabilities' | 'failPolicy' | 'config'>

/** Reads a `hook.json`; `undefined` where a part of it cannot be honoured. */
export function readGuardFields(file: BundleFile, issues: Issues): GuardFields | undefined {
  const json = readJsonObject(file, issues)
  if (!json) return undefined
  const before = issues.errors
  refuseUnknown(json, [], KNOWN, issues)
  const read = shaped(fields, json, [], issues)
  if (!read || issues.errors > before) return undefined
  const { name, label = name, points, capabilities, failPolicy, config } = read
  return { label, points, capabilities, failPolicy, config: config satisfies JsonObject }
}
