import { jsonValue } from '@amodal/sdk/data'
import { trySync } from '@amodal/sdk'
import { z } from 'zod'
import { MOST_LEVELS } from './definition.ts'

const whole = (least: number, most: number) => z.int().min(least).max(most)
const text = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).trim())
  .pipe(z.string().min(1))

const jsonSchema = z.record(z.string(), jsonValue).refine(
  (schema) =>
    trySync(
      () => z.fromJSONSchema(schema),
      () => undefined,
    ).ok,
)

/** The fields of an `AGENT.md`. */
export const FIELDS: Readonly<Record<string, z.ZodType>> = {
  displayName: text,
  description: text,
  tools: z.array(z.string().min(1)),
  maxDepth: whole(1, MOST_LEVELS),
  maxToolCalls: whole(1, 100),
  timeout: whole(5, 600),
  maxToolRounds: whole(1, 50),
  state: z.record(z.string(), jsonValue),
  mutable: z.record(z.string(), jsonValue),
  strict: z.boolean(),
  maxTokens: z.int().min(1),
  maxCost: z.number().positive(),
  targetOutputMin: whole(50, 2_000),
  targetOutputMax: whole(50, 2_000),
  modelTier: z.enum(['explore', 'simple', 'default', 'advanced']),
  resultSchema: jsonSchema,
  artifactType: text.pipe(z.string().max(100)),
}

/** Other spellings that are in use. */
export const SPELLINGS: Readonly<Record<string, string>> = {
  display_name: 'displayName',
  max_depth: 'maxDepth',
  max_tool_calls: 'maxToolCalls',
  token_budget: 'maxTokens',
  tokenBudget: 'maxTokens',
  max_cost: 'maxCost',
  max_tool_rounds: 'maxToolRounds',
  model_tier: 'modelTier',
  result_schema: 'resultSchema',
  output_schema: 'resultSchema',
  outputSchema: 'resultSchema',
  artifact_type: 'artifactType',
  produces_artifact_type: 'artifactType',
  producesArtifactType: 'artifactType',
  target_output_min: 'targetOutputMin',
  target_output_max: 'targetOutputMax',
}

/** Field names of other engines, and their counterparts here. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  model: 'name a tier in `modelTier`, and its model in `models` of amodal.json',
  temperature: 'write it into `models` of amodal.json, for the tier that `modelTier` names',
  max_tokens:
    'write `token_budget` for all that it may use, or `maxTokens` of its tier in `models` of amodal.json for one reply',
  max_history: 'tell it what it needs in its task: it sees nothing of the conversation',
  maxHistory: 'tell it what it needs in its task: it sees nothing of the conversation',
  staleness_timeout: 'write `timeout`, the seconds that it may take',
  stalenessTimeout: 'write `timeout`, the seconds that it may take',
  max_turns: 'write `maxToolRounds`, which is one less',
  maxTurns: 'write `maxToolRounds`, which is one less',
  web_search: 'name the tool in `tools`, as in tools: [web_search]',
  instructions: 'write them below the fields',
}

/** The valid values in words, for messages. */
export const LIMITS: Readonly<Record<string, string>> = {
  displayName: 'a text',
  description: 'a text',
  tools: 'a list of names of tools',
  maxDepth: `a whole number from 1 to ${MOST_LEVELS}, the levels of sub-agents that there are at most`,
  maxToolCalls: 'a whole number from 1 to 100',
  timeout: 'a whole number of seconds from 5 to 600',
  maxToolRounds: 'a whole number from 1 to 50',
  state: 'a map with `properties`',
  mutable: 'a map of `name: value`',
  strict: 'true or false',
  maxTokens: 'a whole number of tokens from 1',
  maxCost: 'a number of dollars above 0',
  targetOutputMin: 'a whole number from 50 to 2000',
  targetOutputMax: 'a whole number from 50 to 2000',
  modelTier: 'one of explore, simple, default, advanced',
  resultSchema: 'a JSON Schema, as a map of its keywords',
  artifactType: 'a text of at most 100 characters',
}
