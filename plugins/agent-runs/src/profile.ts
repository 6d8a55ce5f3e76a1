import { jsonValue } from '@amodal/sdk/data'
import type { JsonObject } from '@amodal/sdk'
import { z } from 'zod'

const id = z
  .string()
  .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')
  .describe('What `profile_id` names')

/** A profile as configuration writes it. */
export const ProfileSettings = z.strictObject({
  id,
  /** What people call it; its id where it is left out. */
  name: z.string().min(1).max(200).exactOptional(),
  description: z.string().max(2_000).default(''),
  version: z.string().min(1).max(40).default('1'),
  /** In place of the agent's own instructions; those stay where it is left out. */
  instructions: z.string().min(1).max(100_000).exactOptional(),
  /** Names of tools, `*` for any run of characters; all that the agent has where it is left out. */
  tools: z.array(z.string().min(1).max(100)).max(500).exactOptional(),
  /** Model calls, at most as many as the agent allows. Then a person is asked for more. */
  maxTurns: z.int().min(1).max(1_000).exactOptional(),
  /** Input and output tokens of one run. */
  maxTokens: z.int().min(1).exactOptional(),
  /** Seconds that one run may work. */
  maxSeconds: z.int().min(1).exactOptional(),
  /** Runs with it of one tenant at the same time, on all processes together. */
  concurrency: z.int().min(1).exactOptional(),
  /** Of the agent's models, in place of its main one. */
  model: z.enum(['explore', 'simple', 'advanced']).exactOptional(),
  /** JSON Schema of the result: the run ends by handing in one that fits. */
  resultSchema: z.record(z.string(), jsonValue).exactOptional(),
  /** Kind of the artifact that it is there to make. */
  producesArtifactType: z.string().min(1).max(100).exactOptional(),
})

/** A named way to run the agent: which tools and instructions, how much, and what comes of it. */
export interface AgentProfile {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly version: string
  readonly instructions?: string
  readonly tools?: readonly string[]
  readonly maxTurns?: number
  readonly maxTokens?: number
  readonly maxSeconds?: number
  readonly concurrency?: number
  readonly model?: 'explore' | 'simple' | 'advanced'
  readonly resultSchema?: JsonObject
  readonly producesArtifactType?: string
}
