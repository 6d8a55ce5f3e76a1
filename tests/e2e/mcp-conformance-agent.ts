// The agent that the conformance suite asks: its tools and skills have the names that the suite
// looks for, and say what it expects; everything else is the server as people have it.
import http from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import knowledge from '@amodal/plugin-knowledge'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import skills from '@amodal/plugin-skills'
import wireMcp from '@amodal/plugin-wire-mcp'
import {
  defineTool,
  explain,
  ok,
  startAgent,
  unwrap,
  use,
  type JsonObject,
  type Skill,
  type ToolDefinition,
  type ToolResult,
  defineBundle,
} from '@amodal/sdk'
import { bundlePlugin } from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

/** A red dot. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

const tool = (
  name: string,
  execute: () => ToolResult | Promise<ToolResult>,
  readOnly = true,
): ToolDefinition =>
  defineTool({
    name,
    description: `What the suite calls ${name}.`,
    readOnly,
    input: z.object({}),
    execute: async () => execute(),
  })

const logging = (name: string): ToolDefinition =>
  defineTool({
    name,
    description: 'Logs while it runs.',
    readOnly: true,
    input: z.object({}),
    async execute(_args, ctx) {
      for (const message of [
        'Tool execution started',
        'Tool processing data',
        'Tool execution completed',
      ]) {
        ctx.progress({ type: 'tool_log', tool_name: name, message })
        await new Promise((resolve) => setTimeout(resolve, 60))
      }
      return { status: 'success', output: 'Tool with logging executed successfully' }
    },
  })

const question = (properties: JsonObject, resumes: boolean): ToolResult => ({
  status: 'asks',
  question: {
    type: 'question',
    schema: { type: 'object', properties, required: Object.keys(properties) },
    context: { question: 'Please provide your information' },
    ...(resumes && { resumes }),
  },
})

/** What a person answers is its result. */
const asking = (name: string, properties: JsonObject): ToolDefinition =>
  tool(name, () => question(properties, false))

/** Asks one thing after the other, and has a result of its own. */
const rounds = (name: string, questions: readonly JsonObject[]): ToolDefinition =>
  defineTool({
    name,
    description: `What the suite calls ${name}.`,
    readOnly: true,
    input: z.object({}),
    execute(_args, { answers = [] }) {
      const next = questions[answers.length]
      return Promise.resolve(
        next ? question(next, true) : { status: 'success', output: 'state-ok' },
      )
    },
  })

const titled = (...titles: readonly string[]): JsonObject[] =>
  titles.map((title, at) => ({ const: `value${at + 1}`, title }))

const schemas: ToolDefinition = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  readOnly: true,
  parameters: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
  parse: ok,
  execute: () => Promise.resolve({ status: 'success', output: 'done' }),
}

const TOOLS: readonly ToolDefinition[] = [
  tool('test_simple_text', () => ({
    status: 'success',
    output: 'This is a simple text response for testing.',
  })),
  tool('test_image_content', () => ({
    status: 'success',
    output: '',
    content: [{ type: 'image', mimeType: 'image/png', data: PNG }],
  })),
  tool('test_error_handling', () => ({
    status: 'error',
    message: 'This tool intentionally returns an error for testing',
  })),
  logging('test_tool_with_logging'),
  logging('test_logging_tool'),
  tool('test_reconnection', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    return { status: 'success', output: 'done' }
  }),
  defineTool({
    name: 'test_tool_with_progress',
    description: 'Tells of its progress.',
    readOnly: true,
    input: z.object({}),
    async execute(_args, ctx) {
      for (const label of ['Begun', 'Halfway', 'Nearly done']) {
        ctx.progress({ type: 'tool_label_update', tool_id: ctx.callId, running_label: label })
        await new Promise((resolve) => setTimeout(resolve, 60))
      }
      return { status: 'success', output: 'done' }
    },
  }),
  asking('test_elicitation', { username: { type: 'string' }, email: { type: 'string' } }),
  asking('test_streaming_elicitation', { name: { type: 'string' } }),
  asking('test_elicitation_sep1034_defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  asking('test_elicitation_sep1330_enums', {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: titled('First Option', 'Second Option', 'Third Option'),
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: {
      type: 'array',
      items: { type: 'string', oneOf: titled('First Choice', 'Second Choice', 'Third Choice') },
    },
  }),
  asking('test_input_required_result_elicitation', { name: { type: 'string' } }),
  asking('test_input_required_result_tampered_state', { ok: { type: 'boolean' } }),
  rounds('test_input_required_result_request_state', [{ ok: { type: 'boolean' } }]),
  rounds('test_input_required_result_multi_round', [
    { name: { type: 'string' } },
    { color: { type: 'string' } },
  ]),
  schemas,
]

const SKILLS: readonly Skill[] = [
  {
    name: 'test_simple_prompt',
    description: 'A simple prompt.',
    trigger: '',
    body: 'This is a simple prompt for testing.',
    file: 'skills/test_simple_prompt/SKILL.md',
  },
]

const BUNDLE = defineBundle({
  name: 'conforming',
  version: '1.0.0',
  instructions: 'You help.',
  skills: SKILLS,
  knowledge: [{ name: 'baselines', title: 'Baselines', body: '# B' }],
  // never asked: calls of tools need no model
  models: {
    main: { provider: 'openai-compatible', model: 'none', baseUrl: 'http://127.0.0.1:9' },
  },
})

/** A server that asks nobody who they are: the suite brings no credential. @returns its address */
export async function conformingServer(): Promise<string> {
  let version = 0
  const change = (name: string): ToolDefinition =>
    tool(name, async () => {
      version++
      unwrap(await started.agent.reloadBundle(), ({ message }) => message)
      return { status: 'success', output: 'changed' }
    })
  const source = bundlePlugin(
    () => ({ ...BUNDLE, hash: `test${version}` }),
    [...TOOLS, change('test_trigger_tool_change'), change('test_trigger_prompt_change')],
  )
  const started = unwrap(
    await startAgent([
      use(secretsEnv, { env: {}, masterKey: 'memory' }),
      use(outbound),
      use(loop, { drainMs: 200, pollMs: 20 }),
      use(prompt),
      use(skills),
      use(knowledge),
      use(modelOpenaiCompatible),
      use(http, { port: 0 }),
      use(sessionsMemory),
      use(wireMcp, { expose: ['test_*', 'json_schema_*'] }),
      use(source),
    ]),
    (error) => (error.kind === 'agent' ? error.failure.message : explain(error)),
  )
  onTestFinished(() => started.close())
  const address = started.kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  return `http://127.0.0.1:${address.port}`
}
