import { ok, type ToolDefinition } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { reachesOut } from '../src/trial/stubbed-tools.ts'

const tool = (file: string): ToolDefinition => ({
  name: 'pay',
  description: 'Pays.',
  parameters: { type: 'object' },
  readOnly: false,
  parse: ok,
  file,
  execute: () => Promise.resolve({ status: 'success', output: null }),
})

test.each([
  ['tools/pay/tool.json', true],
  ['amodal/tools/pay/tool.json', true],
  ['stores/orders.json', false],
])('a tool of %s is answered by a stub: %s', (file, expected) => {
  expect(reachesOut(tool(file))).toBe(expected)
})
