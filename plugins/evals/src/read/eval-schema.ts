import type { JsonObject } from '@amodal/sdk'

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text }
const oneOrMore = { anyOf: [text, texts] }
const number = { type: 'number', minimum: 0 }

/** Checks, each with what it takes. */
const CHECKS: JsonObject = {
  contains: oneOrMore,
  not_contains: oneOrMore,
  matches: oneOrMore,
  not_matches: oneOrMore,
  json_schema: {},
  tools_called: oneOrMore,
  tools_not_called: oneOrMore,
  tool_order: {},
  tool_args: {},
  writes: { description: 'none, a number, or { min, max }' },
  approvals: { description: 'Tools that a person was asked about, or none' },
  max_tokens: number,
  max_cost: number,
  max_seconds: number,
  max_tool_calls: number,
  max_model_calls: number,
  ends: { ...text, description: 'How the last turn ended, such as model_stop' },
  store: {},
}

const checks = {
  type: 'array',
  items: { anyOf: [text, { type: 'object', properties: CHECKS, additionalProperties: false }] },
  description: 'Checks that need no model',
}
const rubric = { ...texts, description: 'Lines that the judge decides on' }

const setup = {
  type: 'object',
  properties: {
    context: {},
    stores: { type: 'object', description: 'Documents that are there before, by store' },
    state: { type: 'object' },
    clock: text,
    roles: oneOrMore,
  },
  additionalProperties: false,
}
const defaults = {
  setup,
  tools: { type: 'object', description: 'Stubs by the name of a tool' },
  assert: checks,
  approvals: { enum: ['grant', 'refuse'] },
  tags: texts,
}

const turn = {
  type: 'object',
  properties: {
    input: text,
    answers: { type: 'array' },
    assert: checks,
    rubric,
  },
  required: ['input'],
  additionalProperties: false,
}
const evalCase = {
  type: 'object',
  properties: {
    name: text,
    input: text,
    turns: { type: 'array', items: turn, minItems: 1 },
    ...defaults,
    rubric,
    expected_tools: texts,
    dataset: text,
  },
  anyOf: [{ required: ['input'] }, { required: ['turns'] }],
  additionalProperties: false,
}

/** `evals/*.yaml` for editors. */
export const evalSchema = (): JsonObject => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Cases that say whether the agent is good',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    name: text,
    title: text,
    description: { type: 'string' },
    dataset: text,
    cases: { type: 'array', items: evalCase, minItems: 1 },
    ...defaults,
  },
  required: ['cases'],
  additionalProperties: false,
})
