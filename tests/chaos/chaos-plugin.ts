import {
  Database,
  defineTool,
  definePlugin,
  isObject,
  Outbound,
  TenantDatabase,
  Tools,
  type Outbound as Out,
  type Plugin,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { stateOfCall } from '@amodal/plugin-live-state/tokens'
import { z } from 'zod'
import type { Faults } from './faults.ts'

/** What the tools say to the outside server. */
export interface OutsideRequest {
  readonly marker: string
  readonly tool: string
  readonly server: string
}

const input = z.object({
  marker: z.string().describe('Names the call'),
  approve: z.boolean().optional().describe('A person is asked first'),
})

interface Surround {
  readonly faults: Faults
  readonly outside: string
  readonly server: string
}

/**
 * Faults around the database, tools that reach an outside server, and a guard that has calls
 * approved.
 */
export const chaosPlugin = (surround: Surround): Plugin =>
  definePlugin({
    name: 'chaos',
    version: '0.0.0',
    requires: { outbound: Outbound },
    provides: [Tools],
    decorates: [Database, TenantDatabase],
    setup({ deps: { outbound }, add, decorate, hooks }) {
      decorate(Database, (database) => surround.faults.around(database))
      decorate(TenantDatabase, (database) => surround.faults.aroundTenant(database))
      const tools = [
        outsideTool('read_thing', { readOnly: true }, outbound, surround),
        outsideTool('effect_keyed', { readOnly: false, keyed: true }, outbound, surround),
        outsideTool('effect_plain', { readOnly: false }, outbound, surround),
        countState,
      ]
      add(Tools, 'chaos', { tools: () => tools })
      hooks.tool.guard.tap(
        (verdict, call) =>
          call.args['approve'] === true
            ? verdict.raise('confirm', 'the plan asks for it')
            : undefined,
        { stage: 'guard' },
      )
    },
  })

/** Counts in the state of the agent, and writes down who has counted. */
const countState: ToolDefinition = defineTool({
  name: 'count_state',
  readOnly: false,
  keyed: true,
  taint: 'ignore',
  description: 'Counts one more.',
  input,
  execute: ({ marker }, ctx) => {
    const state = stateOfCall(ctx)
    const { counted, counters } = state?.values ?? {}
    const changed = state?.change({
      counted: Number(counted) + 1,
      counters: { ...(isObject(counters) ? counters : {}), [marker]: true },
    })
    return Promise.resolve(
      changed?.ok === true
        ? { status: 'success', output: 'counted', sessionState: changed.value }
        : { status: 'error', message: changed?.error.message ?? 'there is no state' },
    )
  },
})

function outsideTool(
  name: string,
  kind: { readonly readOnly: boolean; readonly keyed?: true },
  outbound: Out,
  surround: Surround,
): ToolDefinition {
  return defineTool({
    name,
    ...kind,
    description: `Asks the outside server (${name}).`,
    input,
    execute: async ({ marker }, ctx) => {
      await surround.faults.call(marker, 'before')
      const result = await ask(
        { marker, tool: name, server: surround.server },
        kind,
        outbound,
        surround,
        ctx,
      )
      await surround.faults.call(marker, 'after')
      return result
    },
  })
}

async function ask(
  body: OutsideRequest,
  { keyed }: { readonly keyed?: true },
  outbound: Out,
  { outside }: Surround,
  { key, lease, signal }: ToolContext,
): Promise<ToolResult> {
  const answer = await outbound.request({
    url: outside,
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    lease,
    signal,
    privateOrigin: outside,
    ...(keyed ? { key } : {}),
  })
  return answer.ok
    ? { status: 'success', output: answer.value.text() }
    : { status: 'error', message: answer.error.message, code: answer.error.code }
}
